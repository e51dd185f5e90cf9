import type { ComponentChildren } from 'preact';
import { texts } from '../texts.ts';

interface TableProps {
  readonly class?: string | undefined;
  /** Names a table inside a panel; without it, the table is a panel itself. */
  readonly caption?: string;
  readonly titles: readonly string[];
  /** The column that names a row. */
  readonly head?: number;
  /** The first column whose cells show their title on cards. */
  readonly titled?: number;
  readonly isLoading?: boolean;
  /** Replaces a table without rows. */
  readonly empty?: ComponentChildren;
  readonly rows: readonly {
    readonly key: string;
    readonly class?: string | undefined;
    readonly cells: readonly ComponentChildren[];
  }[];
}

/** A table; its rows become cards on a narrow page. */
export function Table({ class: name = '', caption, titles, isLoading, rows, ...rest }: TableProps) {
  const { head = 0, titled = Infinity, empty } = rest;
  // Three short columns fit any page.
  const form = titles.length > 3 ? 'cards' : '';
  if (empty && rows.length === 0) return <div class="empty">{empty}</div>;
  const table = (
    <table class={`${form} ${name}`} aria-busy={isLoading}>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {titles.map((title) => (
            <th key={title} scope="col">
              <span class={title === texts.actions ? 'unseen' : undefined}>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, class: look, cells }) => (
          <tr key={key} class={look}>
            {cells.map((cell, index) => {
              if (index === head) return <th scope="row">{cell}</th>;
              if (titles[index] === texts.actions) return <td class="actions">{cell}</td>;
              return <td data-title={index < titled ? undefined : titles[index]}>{cell}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
  return caption ? table : <div class="panel sheet">{table}</div>;
}
