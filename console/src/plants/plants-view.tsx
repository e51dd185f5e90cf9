import { ChevronLeft, ChevronRight, ChevronsLeft, Download, Plus, Tag, Trash2 } from '../ui/icons.js';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { may } from '../service/tokens.ts';
import { allPlants, countPlants, parseId, type PlantFilter, type StoredPlant } from '../service/plants.ts';
import { described, number, plantCount, texts } from '../texts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { LoadFailure } from '../ui/messages/message.tsx';
import { focusTop, useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { closeForm, go, openForm, route } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { DeletePlants, type PlantSelection, TagPlants } from './change/change-plants.tsx';
import { EditPlant } from './change/edit-plant.tsx';
import { pendingJobs } from './change/steps.ts';
import { pendingCommand, type Edit, plantsChanged } from './commands.ts';
import { FilterBar } from './list/filter-bar.tsx';
import {
  findPlants,
  PAGE_SIZES,
  pageSize,
  type PlantQuery,
  useChangesElsewhere,
} from './list/find-plants.ts';
import { NoPlants, PlantTable } from './list/plant-table.tsx';
import styles from './plants-view.module.css';

/** The place of the form for a new plant. */
const NEW = 'new';

const PAGES_BELOW = 'Pages, below the list';

/** A page of the list. A page links only to the next one, so the history keeps those before it. */
interface Place {
  /** The cursor; null on the first page. */
  readonly after: string | null;
  /** The number of plants before it; undefined after a link. */
  readonly first?: number | undefined;
  readonly trail: readonly Omit<Place, 'trail'>[];
}

const START: Place = { after: null, first: 0, trail: [] };

type Task =
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'delete' | 'tag'; readonly selection: PlantSelection };

/** The list of plants with its actions. */
export function PlantsView() {
  const { query, state } = route.value;
  const { search: words, tag, sort, after, id: formId }: PlantQuery & { readonly id?: string } = query;
  const changes = plantsChanged.value;
  const start = after === undefined ? 0 : state['first'];
  const read = async (signal: AbortSignal) => ({ ...(await findPlants(query, signal)), start });
  const page = useLoaded(read, [words, tag, sort, after, changes, pageSize.value]);
  const elsewhere = useChangesElsewhere(
    page.isLoading || pendingJobs.value > 0 ? undefined : page.value,
    read,
  );
  const { plants, next, filter = {} } = page.value ?? { plants: [] };
  const isWhole = page.value !== undefined && next === undefined && after === undefined;
  const count = useLoaded(
    async (signal) => (page.value && !isWhole ? countPlants(filter, signal) : undefined),
    [JSON.stringify(filter), isWhole, page.value === undefined, changes],
  );
  const total = isWhole ? plants.length : count.isLoading || count.failure ? undefined : count.value;
  const [selected, setSelected] = useState<ReadonlySet<bigint>>(new Set());
  const [isAllSelected, setIsAllSelected] = useState(false);
  const [added, setAdded] = useState<readonly StoredPlant[]>([]);
  const [task, setTask] = useState<Task>();
  const select = (ids: ReadonlySet<bigint>) => {
    setSelected(ids);
    setIsAllSelected(false);
  };
  useEffect(() => {
    select(new Set());
    setAdded([]);
  }, [words, tag, sort, after]);
  useEffect(() => scrollTo(0, 0), [page.value?.plants[0]?.id]);
  /** A form is a place of its own: the way back closes it. */
  const open = (edit: Edit) => {
    if (!edit.plant && !may('plants:write')) return;
    setTask({ kind: 'edit', edit });
    openForm({ ...query, id: idOf(edit) });
  };
  const close = () => {
    const { id: _id, ...list } = query;
    closeForm(list);
  };
  const search = useRef<HTMLInputElement>(null);
  const actions = useRef<HTMLButtonElement>(null);
  useSignalEffect(() => {
    pendingCommand.value?.({
      search: () => search.current?.focus(),
      select: () => actions.current?.focus(),
      open,
    });
    pendingCommand.value = undefined;
  });
  // The focused row or button may be gone.
  useRescuedFocus([page.value, task, selected.size > 0, elsewhere]);

  const filtered = { ...(words && { search: words }), ...(tag && { tag }) };
  const show = (changed: PlantQuery, place = START) =>
    go('plants', { ...filtered, ...(sort && { sort }), ...changed }, { state: { ...place } });
  const rows = [...added.filter(({ id }) => plants.every((other) => other.id !== id)), ...plants];
  const visible = rows.filter(({ id }) => selected.has(id));
  const all = isAllSelected && total !== undefined;
  const selection: PlantSelection = {
    count: all ? total : visible.length,
    some: visible,
    read: (signal) => (all ? allPlants(filter, signal) : [visible]),
  };
  const add = (plant: StoredPlant) => {
    setAdded((before) => [plant, ...before]);
    plantsChanged.value += 1;
  };
  const end = (hasChanged: boolean) => {
    // The user may have opened another dialog meanwhile.
    setTask((current) => (current === task ? undefined : current));
    if (!hasChanged) return;
    if (formId !== NEW) setAdded([]);
    select(new Set());
    plantsChanged.value += 1;
  };
  const edit = editOf(formId, task?.kind === 'edit' ? task.edit : undefined, plants);
  const place: Place = {
    after: after ?? null,
    first: after === undefined ? 0 : undefined,
    trail: [],
    ...state,
  };
  const { trail, ...current } = place;
  const previous = trail.at(-1);
  const nextFirst = current.first === undefined ? undefined : current.first + plants.length;
  const hasNext = !page.isLoading && next !== undefined;
  const pageLinks = [
    [ChevronsLeft, 'First', current.after !== null && START],
    [ChevronLeft, 'Previous', previous && { ...previous, trail: trail.slice(0, -1) }],
    [ChevronRight, 'Next', hasNext && { after: next, first: nextFirst, trail: [...trail, current] }],
  ] as const;
  const openPage = (to: Place, label: string) => {
    show(to.after === null ? {} : { after: to.after }, to);
    if (label === PAGES_BELOW) focusTop();
  };
  const pager = (label: string) => (
    <nav aria-label={label}>
      {pageLinks.map(([icon, name, to]) => (
        <IconButton
          key={name}
          icon={icon}
          label={name}
          isOff={!to}
          onClick={() => to && openPage(to, label)}
        />
      ))}
    </nav>
  );

  return (
    <>
      <div class={`tools ${styles['top']}`}>
        <h1 tabIndex={-1}>Plants</h1>
        <FilterBar query={query} field={search}>
          <Button icon={Download} label={texts.export} onClick={() => go('transfer', filter)} />
          {may('plants:write') ? (
            <Button icon={Plus} label="Add plant" class="primary" onClick={() => open({})} />
          ) : (
            <p class="soft">{texts.readOnly}</p>
          )}
        </FilterBar>
      </div>
      <LoadFailure of={page} />
      <div class={`row ${styles['head']}`}>
        <p role="status">
          {page.isLoading && page.value === undefined
            ? texts.loading
            : selection.count > 0
              ? `${number(selection.count)} selected`
              : shown(plants.length, page.value?.start, total, filter)}
        </p>
        <span role="status" class={styles['news']}>
          {elsewhere > 0 && (
            <>
              {plantCount(elsewhere)} changed <Button label="Refresh" class="quiet" onClick={page.reload} />
            </>
          )}
        </span>
        {selection.count > 0 && (
          <div class={`row ${styles['selection']}`} role="group" aria-label="Selected plants">
            <Button icon={Tag} ref={actions} onClick={() => setTask({ kind: 'tag', selection })}>
              Tag …
            </Button>
            <Button icon={Trash2} class="danger" onClick={() => setTask({ kind: 'delete', selection })}>
              Delete …
            </Button>
            {total !== undefined && selection.count < total && (
              <Button class="quiet" onClick={() => setIsAllSelected(true)}>
                {`Select all ${number(total)}`}
              </Button>
            )}
            <Button label="Clear" class="quiet" onClick={() => select(new Set())} />
          </div>
        )}
        {plants.length > 0 && pager('Pages')}
      </div>
      {rows.length > 0 ? (
        <PlantTable
          plants={rows}
          added={added}
          page={page}
          selected={selected}
          onSelect={select}
          onSort={(order) => show({ sort: order })}
          onEdit={(plant) => open({ plant })}
          onDelete={(plant) =>
            setTask({ kind: 'delete', selection: { count: 1, some: [plant], read: () => [[plant]] } })
          }
        />
      ) : (
        <NoPlants page={page} isPast={after !== undefined} onAdd={() => open({})} />
      )}
      {plants.length > 0 && (
        <div class={`row ${styles['foot']}`}>
          <label class={styles['rows']}>
            Rows per page{' '}
            <Select
              value={String(pageSize.value)}
              options={Object.fromEntries(PAGE_SIZES.map((size) => [size, String(size)]))}
              onChoose={(size) => {
                pageSize.value = Number(size);
                show({});
              }}
            />
          </label>
          {pager(PAGES_BELOW)}
        </div>
      )}
      {edit && (
        <EditPlant
          key={formId}
          edit={edit}
          onAdd={add}
          onEnd={(hasChanged) => {
            close();
            end(hasChanged);
          }}
        />
      )}
      {task?.kind === 'delete' && <DeletePlants selection={task.selection} onEnd={end} />}
      {task?.kind === 'tag' && <TagPlants selection={task.selection} onEnd={end} />}
    </>
  );
}

function idOf({ plant }: Edit): string {
  return plant ? String(plant.id) : NEW;
}

/** The form that the address names: the one that was opened, or one that reads the plant. */
function editOf(
  id: string | undefined,
  opened: Edit | undefined,
  plants: readonly StoredPlant[],
): Edit | undefined {
  if (id === undefined) return undefined;
  if (opened && idOf(opened) === id) return opened;
  const key = parseId(id);
  if (key === undefined) return may('plants:write') ? {} : undefined;
  return { plant: plants.find((plant) => plant.id === key) ?? { id: key, name: '' } };
}

/** The range of plants shown. @param first the number of plants before them, if known. */
function shown(count: number, first: unknown, total: number | undefined, filter: PlantFilter): string {
  if (count === 0) return plantCount(0);
  const range = typeof first === 'number' ? `${number(first + 1)}–${number(first + count)}` : number(count);
  const isWhole = total === count;
  const all = total === undefined ? range : isWhole ? plantCount(total) : `${range} of ${plantCount(total)}`;
  return Object.keys(filter).length === 0 ? all : `${all} with ${described(filter)}`;
}
