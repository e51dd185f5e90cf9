import { texts } from '../texts.ts';

interface TableHeadProps {
  readonly titles: readonly string[];
  /** Whether a last column has buttons. */
  readonly hasActions?: boolean;
}

/** The titles of the columns of a table. */
export function TableHead({ titles, hasActions = false }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
        {hasActions && (
          <th scope="col">
            <span class="unseen">{texts.plants.actions}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
