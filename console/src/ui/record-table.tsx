import type { ComponentChildren } from 'preact';
import { TableHead } from './table-head.tsx';

interface RecordTableProps {
  readonly caption: string;
  /** The first of three columns has numbers. */
  readonly titles: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** Some records of a file. */
export function RecordTable({ caption, titles, rows }: RecordTableProps) {
  return (
    <table class="records cards">
      <caption>{caption}</caption>
      <TableHead titles={titles} />
      <tbody>
        {rows.map(([number, text, rest], index) => (
          <tr key={index}>
            <td>{number}</td>
            <th scope="row">{text}</th>
            <td>{rest}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
