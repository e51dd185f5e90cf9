import { useEffect, useRef, useState } from 'preact/hooks';
import { may } from '../../service/tokens.ts';
import type { PlantFilter, PlantSort, StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { DeletedIcon, DownIcon, Icon, UpIcon } from '../../ui/icons.tsx';
import { addressOf } from '../../ui/route.ts';
import { ordersOf } from './find-plants.ts';
import { lineOf, PlantText, shortName } from '../plant-text.tsx';
import styles from './plant-table.module.css';

/** Rows that are shown first: most screens have no room for more. */
const FIRST_ROWS = 24;

interface PlantTableProps {
  readonly plants: readonly StoredPlant[];
  /** Those that the user has just added. */
  readonly added: readonly StoredPlant[];
  readonly filter: PlantFilter;
  readonly order: PlantSort | undefined;
  readonly isLoading: boolean;
  readonly selected: ReadonlySet<bigint>;
  readonly onSelect: (selected: ReadonlySet<bigint>) => void;
  readonly onSort: (order: PlantSort) => void;
  readonly onEdit: (plant: StoredPlant) => void;
  readonly onDelete: (plant: StoredPlant) => void;
}

/** A page of plants, of which some may be selected. */
export function PlantTable({
  plants,
  added,
  filter,
  order,
  isLoading,
  selected,
  onSelect,
  onSort,
  onEdit,
  onDelete,
}: PlantTableProps) {
  const canWrite = may('plants:write');
  const areAllSelected = plants.every(({ id }) => selected.has(id));
  const [rows, setRows] = useState(FIRST_ROWS);
  useEffect(() => {
    // The next frame shows the first ones.
    requestAnimationFrame(() => requestAnimationFrame(() => setRows(Infinity)));
  }, []);
  const isRange = useRef(false);
  const last = useRef(0);
  /** Selects a plant or not, with the Shift key all from the last one to it. */
  const toggle = (index: number, isSelected: boolean) => {
    const from = isRange.current ? Math.min(last.current, index) : index;
    const to = isRange.current ? Math.max(last.current, index) : index;
    const range = new Set(plants.slice(from, to + 1).map(({ id }) => id));
    onSelect(isSelected ? selected.union(range) : selected.difference(range));
    last.current = index;
  };
  const heading = (column: 'id' | 'name') => {
    const [isUp, isDown] = [order === column, order === `-${column}`];
    return (
      <th
        scope="col"
        class={styles[column]}
        aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}
      >
        {ordersOf(filter).includes(column) ? (
          <button type="button" class="quiet" onClick={() => onSort(isUp ? `-${column}` : column)}>
            {texts.plants[column]}
            {isUp && <Icon of={UpIcon} />}
            {isDown && <Icon of={DownIcon} />}
          </button>
        ) : (
          texts.plants[column]
        )}
      </th>
    );
  };
  const isNew = ({ id }: StoredPlant) => added.some((other) => other.id === id);
  return (
    <table class={`${styles['plants']} cards`} aria-busy={isLoading}>
      <thead>
        <tr>
          {canWrite && (
            <th scope="col" class={styles['choose']}>
              <input
                type="checkbox"
                aria-label={texts.plants.selectAll}
                checked={areAllSelected}
                onChange={() => onSelect(new Set(areAllSelected ? [] : plants.map(({ id }) => id)))}
              />
            </th>
          )}
          {heading('id')}
          {heading('name')}
          <th scope="col" class={styles['tags']}>
            {texts.plants.tag}
          </th>
          <th scope="col" class={styles['actions']}>
            <span class="unseen">{texts.plants.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {plants.slice(0, rows).map((plant, index) => (
          <tr
            key={String(plant.id)}
            class={selected.has(plant.id) ? styles['selected'] : isNew(plant) ? styles['new'] : undefined}
            onClick={({ target }) => isPlain(target) && onEdit(plant)}
          >
            {canWrite && (
              <td class={styles['choose']}>
                <input
                  type="checkbox"
                  aria-label={texts.plants.select(shortName(plant))}
                  checked={selected.has(plant.id)}
                  onClick={({ shiftKey }) => (isRange.current = shiftKey)}
                  onChange={({ currentTarget }) => toggle(index, currentTarget.checked)}
                />
              </td>
            )}
            <td class={styles['id']}>{String(plant.id)}</td>
            <th scope="row">
              <button
                type="button"
                class={styles['open']}
                // The whole of what it shows: who speaks to a computer reads it out.
                aria-label={(canWrite ? texts.plants.editOne : texts.plants.openOne)(
                  shortName(plant, lineOf(plant.name)),
                )}
                onClick={() => onEdit(plant)}
              >
                <PlantText text={plant.name} ifEmpty={texts.plants.unnamed} isLine />
              </button>
              {isNew(plant) && <span class="tag">{texts.plants.isNew}</span>}
            </th>
            <td class={styles['tags']}>
              {plant.tag !== undefined && (
                <a
                  class="tag"
                  aria-label={texts.plants.filterByTag(plant.tag)}
                  href={addressOf('plants', { tag: plant.tag })}
                >
                  <PlantText text={plant.tag} ifEmpty={texts.plants.emptyTag} isLine />
                </a>
              )}
            </td>
            <td class={styles['actions']}>
              {canWrite && (
                <IconButton
                  icon={DeletedIcon}
                  label={texts.plants.deleteOne(shortName(plant))}
                  onClick={() => onDelete(plant)}
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whether a click was on nothing but the row, and marked no text. */
function isPlain(target: EventTarget | null): boolean {
  const isControl = target instanceof Element && target.closest('a, button, input, td:has(input)') !== null;
  return !isControl && getSelection()?.isCollapsed !== false;
}
