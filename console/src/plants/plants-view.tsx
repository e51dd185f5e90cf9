import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { may } from '../service/tokens.ts';
import { feed } from '../service/changes.ts';
import { PAGE_SIZES } from '../service/first-page.ts';
import { allPlants, countPlants, knownTags, type StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { copy } from '../ui/controls/copy.tsx';
import { CommandIcon, CreatedIcon, DeletedIcon, ExportIcon, Icon, TagIcon } from '../ui/icons.tsx';
import { later, loadParts } from '../ui/later.tsx';
import { LoadFailure } from '../ui/messages/notice.tsx';
import { toast } from '../ui/messages/message.tsx';
import { focusTop, useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { go, route } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import type { PlantSelection } from './change/change-plants.tsx';
import { pendingJobs } from './change/steps.ts';
import { type Edit, obey, plantsChanged } from './commands.ts';
import { ChangedNotice } from './list/changed-notice.tsx';
import { FilterBar } from './list/filter-bar.tsx';
import { findPlants, pageSize, type PlantQuery } from './list/find-plants.ts';
import { NoPlants } from './list/no-plants.tsx';
import { Pager, type Place } from './list/pager.tsx';
import { PlantTable } from './list/plant-table.tsx';
import styles from './plants-view.module.css';

const EditPlant = later((parts) => parts.EditPlant);
const DeletePlants = later((parts) => parts.DeletePlants);
const TagPlants = later((parts) => parts.TagPlants);

/** What is done to which plants. */
type Task =
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'delete' | 'tag'; readonly selection: PlantSelection };

/** The plants, a page at a time, and all that can be done with them. */
export function PlantsView() {
  const { query, state } = route.value;
  const { search: words, tag, sort, after }: PlantQuery = query;
  const changes = plantsChanged.value;
  const page = useLoaded(
    async (signal) => ({ known: feed.peek(), ...(await findPlants(query, signal)) }),
    [words, tag, sort, after, changes, pageSize.value],
  );
  const { plants, next, filter = {}, sort: order } = page.value ?? { plants: [] };
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
  useLayoutEffect(
    () =>
      obey({
        search: () => search.current?.focus(),
        select: () => actions.current?.focus(),
        open,
      }),
    [],
  );
  // The row or the button that had the focus may be gone.
  useRescuedFocus([page.value, task, selected.size > 0]);

  const filtered = { ...(words && { search: words }), ...(tag && { tag }) };
  const show = (changed: PlantQuery, place: Place = { after: null, first: 0, trail: [] }) =>
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
  const pager = (label: string) => (
    <Pager
      label={label}
      place={{ after: after ?? null, ...(after === undefined && { first: 0 }), trail: [], ...state }}
      next={page.isLoading ? undefined : next}
      count={plants.length}
      onShow={(place) => {
        show(place.after === null ? {} : { after: place.after }, place);
        if (label !== texts.plants.pages) focusTop();
      }}
    />
  );

  return (
    <>
      <div class={`tools ${styles['top']}`}>
        <h1 tabIndex={-1}>{texts.views.plants}</h1>
        <FilterBar query={query} field={search}>
          <button type="button" onClick={() => go('transfer', filter)}>
            <Icon of={ExportIcon} />
            {texts.transfer.export}
          </button>
          {may('plants:write') ? (
            <button type="button" class="primary" onClick={() => open({})}>
              <Icon of={CreatedIcon} />
              {texts.plants.add}
            </button>
          ) : (
            <p class="soft">{texts.plants.readOnly}</p>
          )}
        </FilterBar>
      </div>
      <datalist id="tags">
        {Array.from(knownTags.value, (known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
      <LoadFailure of={page} />
      <ChangedNotice
        plants={page.isLoading || pendingJobs.value > 0 ? undefined : page.value?.plants}
        known={page.value?.known}
        read={(signal) => findPlants(query, signal)}
        onRefresh={page.reload}
      />
      <div class={`row ${styles['head']}`}>
        <p role="status">
          {page.isLoading && page.value === undefined
            ? texts.loading
            : selection.count > 0
              ? texts.plants.selected(selection.count)
              : texts.plants.shown(plants.length, after === undefined ? 0 : state['first'], total, filter)}
        </p>
        {selection.count > 0 && (
          <div class={`row ${styles['selection']}`} role="group" aria-label={texts.plants.selection}>
            <button type="button" ref={actions} onClick={() => setTask({ kind: 'tag', selection })}>
              <Icon of={TagIcon} />
              {texts.plants.tagSelected}
            </button>
            <button type="button" class="danger" onClick={() => setTask({ kind: 'delete', selection })}>
              <Icon of={DeletedIcon} />
              {texts.plants.deleteSelected}
            </button>
            {total !== undefined && selection.count < total && (
              <button type="button" class="quiet" onClick={() => setIsAllSelected(true)}>
                {texts.plants.selectMatching(total)}
              </button>
            )}
            <button type="button" class="quiet" onClick={() => select(new Set())}>
              {texts.plants.clearSelection}
            </button>
          </div>
        )}
        {plants.length > 0 && pager(texts.plants.pages)}
      </div>
      {rows.length > 0 ? (
        <PlantTable
          plants={rows}
          added={added}
          filter={filter}
          order={order}
          isLoading={page.isLoading}
          selected={selected}
          onSelect={select}
          onSort={(wanted) => show({ sort: wanted })}
          onEdit={(plant) => open({ plant })}
          onDelete={(plant) =>
            setTask({ kind: 'delete', selection: { count: 1, some: [plant], read: () => [[plant]] } })
          }
        />
      ) : (
        <NoPlants
          isLoading={page.isLoading}
          filter={page.value?.filter}
          isPast={after !== undefined}
          onAdd={() => open({})}
        />
      )}
      {page.value && plants.length > 0 && (
        <div class={`row ${styles['foot']}`}>
          <button type="button" class="quiet" onClick={() => void copy(curl).then((told) => toast(told))}>
            <Icon of={CommandIcon} />
            {texts.plants.copyCommand}
          </button>
          <label class={styles['rows']}>
            {texts.plants.rows}{' '}
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
          {pager(texts.plants.pagesBelow)}
        </div>
      )}
      {task?.kind === 'edit' && <EditPlant edit={task.edit} onAdd={add} onEnd={end} />}
      {task?.kind === 'delete' && <DeletePlants selection={task.selection} onEnd={end} />}
      {task?.kind === 'tag' && <TagPlants selection={task.selection} onEnd={end} />}
    </>
  );
}
