import type { ComponentChildren } from 'preact';

interface RecordTableProps {
  readonly caption?: string;
  /** The first of three columns has numbers. */
  readonly titles: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** Some records of a file, or of the changes. */
export function RecordTable({ caption, titles, rows }: RecordTableProps) {
  return (
    <table class="records cards">
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {titles.map((title, column) => (
            <th key={title} scope="col" class={column === 0 ? 'number' : ''}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([number, text, rest], index) => (
          <tr key={index}>
            <td class="number">{number}</td>
            <th scope="row">{text}</th>
            <td>{rest}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
