import { ChevronLeft, ChevronRight, ChevronsLeft, Download, Plus, Tag, Terminal, Trash2 } from 'lucide';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { may } from '../service/tokens.ts';
import { PAGE_SIZES } from '../service/first-page.ts';
import { allPlants, countPlants, knownTags, type PlantFilter, type StoredPlant } from '../service/plants.ts';
import { described, number, plantCount, texts } from '../texts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { later, loadParts } from '../ui/later.tsx';
import { copy, LoadFailure, Notice, toast } from '../ui/messages/message.tsx';
import { focusTop, useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { go, route } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import type { PlantSelection } from './change/change-plants.tsx';
import { pendingJobs } from './change/steps.ts';
import { asked, type Edit, plantsChanged } from './commands.ts';
import { FilterBar } from './list/filter-bar.tsx';
import { findPlants, pageSize, type PlantQuery, useChangesElsewhere } from './list/find-plants.ts';
import { NoPlants, PlantTable } from './list/plant-table.tsx';
import styles from './plants-view.module.css';

const EditPlant = later((parts) => parts.EditPlant);
const DeletePlants = later((parts) => parts.DeletePlants);
const TagPlants = later((parts) => parts.TagPlants);

const PAGES_BELOW = 'Pages, below the list';

/** Where a page is: a page knows only the next one, so the history keeps those before it. */
interface Place {
  /** The cursor; null on the first page. */
  readonly after: string | null;
  /** How many plants come before; undefined where a link led here. */
  readonly first?: number | undefined;
  readonly trail: readonly Omit<Place, 'trail'>[];
}

const START: Place = { after: null, first: 0, trail: [] };

type Task =
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'delete' | 'tag'; readonly selection: PlantSelection };

/** The plants, a page at a time, and all that can be done with them. */
export function PlantsView() {
  const { query, state } = route.value;
  const { search: words, tag, sort, after }: PlantQuery = query;
  const changes = plantsChanged.value;
  const read = (signal: AbortSignal) => findPlants(query, signal);
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
  useEffect(() => {
    // Before the service is away. Who opens a part is told if it is missing.
    if (!page.isLoading) loadParts().catch(() => undefined);
  }, [page.isLoading]);
  const open = (edit: Edit) => (edit.plant || may('plants:write')) && setTask({ kind: 'edit', edit });
  const search = useRef<HTMLInputElement>(null);
  const actions = useRef<HTMLButtonElement>(null);
  useSignalEffect(() => {
    asked.value?.({ search: () => search.current?.focus(), select: () => actions.current?.focus(), open });
    asked.value = undefined;
  });
  // The row or the button that had the focus may be gone.
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
    // Who has left while a request was under way may be at something else.
    setTask((current) => (current === task ? undefined : current));
    if (!hasChanged) return;
    if (task?.kind !== 'edit' || task.edit.plant) setAdded([]);
    select(new Set());
    plantsChanged.value += 1;
  };
  const curl = `curl '${page.value?.address}' -H "Authorization: Bearer $TOKEN"`;
  const place: Place = {
    after: after ?? null,
    first: after === undefined ? 0 : undefined,
    trail: [],
    ...state,
  };
  const { trail, ...here } = place;
  const before = trail.at(-1);
  const beyond = here.first === undefined ? undefined : here.first + plants.length;
  const hasNext = !page.isLoading && next !== undefined;
  const turns = [
    [ChevronsLeft, 'First', here.after !== null && START],
    [ChevronLeft, 'Previous', before && { ...before, trail: trail.slice(0, -1) }],
    [ChevronRight, 'Next', hasNext && { after: next, first: beyond, trail: [...trail, here] }],
  ] as const;
  const turn = (to: Place, label: string) => {
    show(to.after === null ? {} : { after: to.after }, to);
    if (label === PAGES_BELOW) focusTop();
  };
  const pager = (label: string) => (
    <nav aria-label={label}>
      {turns.map(([icon, name, to]) => (
        <IconButton key={name} icon={icon} label={name} isOff={!to} onClick={() => to && turn(to, label)} />
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
      <datalist id="tags">
        {Array.from(knownTags.value, (known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
      <LoadFailure of={page} />
      <div role="status">
        {elsewhere > 0 && (
          <Notice action="Refresh" onAction={page.reload}>
            {plantCount(elsewhere)} changed
          </Notice>
        )}
      </div>
      <div class={`row ${styles['head']}`}>
        <p role="status">
          {page.isLoading && page.value === undefined
            ? texts.loading
            : selection.count > 0
              ? `${number(selection.count)} selected`
              : shown(plants.length, after === undefined ? 0 : state['first'], total, filter)}
        </p>
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
          onSort={(wanted) => show({ sort: wanted })}
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
          <Button icon={Terminal} class="quiet" onClick={() => void copy(curl).then(toast)}>
            {texts.copyCommand}
          </Button>
          <label class={styles['rows']}>
            Rows per page{' '}
            <select
              value={pageSize.value}
              onChange={({ currentTarget }) => {
                pageSize.value = Number(currentTarget.value);
                show({});
              }}
            >
              {PAGE_SIZES.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </select>
          </label>
          {pager(PAGES_BELOW)}
        </div>
      )}
      {task?.kind === 'edit' && <EditPlant edit={task.edit} onAdd={add} onEnd={end} />}
      {task?.kind === 'delete' && <DeletePlants selection={task.selection} onEnd={end} />}
      {task?.kind === 'tag' && <TagPlants selection={task.selection} onEnd={end} />}
    </>
  );
}

/** Which plants are shown, of how many. @param first how many come before; undefined where nobody knows. */
function shown(count: number, first: unknown, total: number | undefined, filter: PlantFilter): string {
  if (count === 0) return plantCount(0);
  const range = typeof first === 'number' ? `${number(first + 1)}–${number(first + count)}` : number(count);
  const all = total === undefined ? range : `${range} of ${plantCount(total)}`;
  return Object.keys(filter).length === 0 ? all : `${all} with ${described(filter)}`;
}
