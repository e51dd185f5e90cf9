import { ArrowDown, ArrowUp, Plus, Trash2, Upload } from '../../ui/icons.js';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { may } from '../../service/tokens.ts';
import type { PlantSort, StoredPlant } from '../../service/plants.ts';
import { described, isolated, texts } from '../../texts.ts';
import { Button, Icon, IconButton } from '../../ui/button.tsx';
import { addressOf, go } from '../../ui/route.ts';
import { hasKeys } from '../commands.ts';
import type { Loaded } from '../../ui/use-loaded.ts';
import { type FoundPlants, ordersOf } from './find-plants.ts';
import { EMPTY_TAG, lineOf, PlantText, shortName } from '../plant-text.tsx';
import styles from './plant-table.module.css';

/** Rows in the first paint; they fill most screens. */
const FIRST_ROWS = 24;

/** Characters of the column of ids at least, which its heading needs. */
const LEAST_ID = 8;

interface PlantTableProps {
  readonly plants: readonly StoredPlant[];
  readonly added: readonly StoredPlant[];
  readonly page: Loaded<FoundPlants>;
  readonly selected: ReadonlySet<bigint>;
  readonly onSelect: (selected: ReadonlySet<bigint>) => void;
  readonly onSort: (order: PlantSort) => void;
  readonly onEdit: (plant: StoredPlant) => void;
  readonly onDelete: (plant: StoredPlant) => void;
}

/** A page of plants with a selection. */
export function PlantTable({
  plants,
  added,
  page,
  selected,
  onSelect,
  onSort,
  onEdit,
  onDelete,
}: PlantTableProps) {
  const { filter = {}, sort: order } = page.value ?? {};
  const canWrite = may('plants:write');
  const areAllSelected = plants.every(({ id }) => selected.has(id));
  const [rows, setRows] = useState(FIRST_ROWS);
  useEffect(() => {
    // After the first rows are painted.
    requestAnimationFrame(() => requestAnimationFrame(() => setRows(Infinity)));
  }, []);
  const last = useRef(0);
  /** Toggles a plant; with Shift, the range from the last toggled one. */
  const toggle = (index: number, isSelected: boolean, isRange: boolean) => {
    const from = isRange ? last.current : index;
    const range = plants.slice(Math.min(from, index), Math.max(from, index) + 1);
    const ids = new Set(range.map(({ id }) => id));
    onSelect(isSelected ? selected.union(ids) : selected.difference(ids));
    last.current = index;
  };
  /** Handles the clicks of all rows: a row needs nothing that changes with another one. */
  const click = ({ target, shiftKey }: MouseEvent) => {
    const row = target instanceof Element && target.closest('tr');
    const plant = row && plants[row.sectionRowIndex];
    if (!plant) return;
    if (target instanceof HTMLInputElement) toggle(row.sectionRowIndex, target.checked, shiftKey);
    else if (target.closest('td button')) onDelete(plant);
    else if (target.closest('th button') || isPlain(target)) onEdit(plant);
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
          <Button class="quiet" onClick={() => onSort(isUp ? `-${column}` : column)}>
            {texts[column]}
            {isUp && <Icon of={ArrowUp} />}
            {isDown && <Icon of={ArrowDown} />}
          </Button>
        ) : (
          texts[column]
        )}
      </th>
    );
  };
  const isNew = ({ id }: StoredPlant) => added.some((other) => other.id === id);
  const longestId = useRef(LEAST_ID);
  // Never less than before, so that another page keeps the columns.
  longestId.current = Math.max(...plants.map(({ id }) => String(id).length), longestId.current);
  return (
    <table
      class={`card ${styles['plants']}`}
      aria-busy={page.isLoading}
      style={{ '--longest-id': longestId.current }}
    >
      <thead>
        <tr>
          {canWrite && (
            <th scope="col" class={styles['choose']}>
              <input
                type="checkbox"
                aria-label="Select all on this page"
                checked={areAllSelected}
                onChange={() => onSelect(new Set(areAllSelected ? [] : plants.map(({ id }) => id)))}
              />
            </th>
          )}
          {heading('id')}
          {heading('name')}
          <th scope="col" class={styles['tags']}>
            {texts.tag}
          </th>
          <th scope="col" class={styles['actions']}>
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody onClick={click} onKeyDown={moveByKeys}>
        {plants.slice(0, rows).map((plant) => (
          <PlantRow
            key={String(plant.id)}
            plant={plant}
            look={selected.has(plant.id) ? 'selected' : isNew(plant) ? 'new' : undefined}
            canWrite={canWrite}
          />
        ))}
      </tbody>
    </table>
  );
}

interface PlantRowProps {
  readonly plant: StoredPlant;
  readonly look: 'selected' | 'new' | undefined;
  readonly canWrite: boolean;
}

/** A row. The same element again keeps a page of 200 rows from drawing all of them for one. */
function PlantRow({ plant, look, canWrite }: PlantRowProps) {
  return useMemo(
    () => (
      <tr class={look && styles[look]}>
        {canWrite && (
          <td class={styles['choose']}>
            <input
              type="checkbox"
              aria-label={`Select ${shortName(plant)}`}
              tabIndex={-1}
              checked={look === 'selected'}
            />
          </td>
        )}
        <td class={`soft ${styles['id']}`}>{String(plant.id)}</td>
        <th scope="row">
          <button
            type="button"
            class={styles['open']}
            // Contains the visible text, for speech input (WCAG 2.5.3).
            aria-label={`${canWrite ? 'Edit' : 'Open'} ${shortName(plant, lineOf(plant.name))}`}
          >
            <PlantText text={plant.name} isLine />
          </button>
          {look === 'new' && <span class="tag">New</span>}
        </th>
        <td class={styles['tags']}>
          {plant.tag !== undefined && (
            <a
              class="tag"
              tabIndex={-1}
              aria-label={`Show plants tagged “${isolated(plant.tag)}”`}
              href={addressOf('plants', { tag: plant.tag })}
            >
              <PlantText text={plant.tag} ifEmpty={EMPTY_TAG} isLine />
            </a>
          )}
        </td>
        <td class={styles['actions']}>
          {canWrite && <IconButton icon={Trash2} label={`Delete ${shortName(plant)}`} tabIndex={-1} />}
        </td>
      </tr>
    ),
    [plant, look, canWrite],
  );
}

/** Moves between rows, and between the controls of a row, by arrow keys; `x` selects the row and `e` opens it. */
function moveByKeys(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const row = target instanceof Element ? target.closest('tr') : null;
  if (!row || ctrlKey || metaKey || altKey) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  const next =
    key === 'ArrowDown' ? row.nextElementSibling : key === 'ArrowUp' ? row.previousElementSibling : null;
  if (step) {
    const controls = [...row.querySelectorAll<HTMLElement>('input, button, a')];
    controls[controls.findIndex((control) => control === target) + step]?.focus();
  } else if (next) openerOf(next)?.focus();
  else if (key === 'x' && hasKeys.value) row.querySelector<HTMLElement>('input')?.click();
  else if (key === 'e' && hasKeys.value) openerOf(row)?.click();
  else return;
  event.preventDefault();
}

function openerOf(row: Element): HTMLElement | null {
  return row.querySelector<HTMLElement>('th button');
}

/** Whether a click hit no control and selected no text. */
function isPlain(target: Element): boolean {
  const isControl = target.closest('a, button, input, td:has(input)') !== null;
  return !isControl && getSelection()?.isCollapsed !== false;
}

interface NoPlantsProps {
  readonly page: Loaded<FoundPlants>;
  /** Whether the cursor is after the last plant. */
  readonly isPast: boolean;
  readonly onAdd: () => void;
}

/** Replaces an empty table: why it is empty, and what to do. */
export function NoPlants({ page, isPast, onAdd }: NoPlantsProps) {
  if (!page.value) return page.isLoading ? <p class="empty">{texts.loading}</p> : null;
  const { filter } = page.value;
  if (isPast || Object.keys(filter).length > 0)
    return (
      <div class="empty">
        <p>{isPast ? 'The list ends before this page.' : `No plants with ${described(filter)}`}</p>
        <Button label="Show all plants" onClick={() => go('plants')} />
      </div>
    );
  return (
    <div class="empty">
      <h2>No plants yet</h2>
      {may('plants:write') && (
        <div class={`row ${styles['choices']}`}>
          <Button icon={Plus} onClick={onAdd}>
            <strong>Add a plant</strong>
            <small>All it needs is an ID and a name.</small>
          </Button>
          <Button icon={Upload} onClick={() => go('transfer')}>
            <strong>Import a file</strong>
            <small>CSV with a header row, or NDJSON.</small>
          </Button>
        </div>
      )}
    </div>
  );
}
