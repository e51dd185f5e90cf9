import { useEffect, useState } from 'preact/hooks';
import { listPlants, type StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { keepFocus } from '../ui/focus.ts';
import { LoadFailure } from '../ui/load-failure.tsx';
import { useValue } from '../ui/observable.ts';
import { go, route } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { DeletePlants } from './delete-plants.tsx';
import { EditPlant } from './edit-plant.tsx';
import { FilterBar } from './filter-bar.tsx';
import { PlantTable } from './plant-table.tsx';
import { plantsChanged } from './plants-changed.ts';
import { TagPlants } from './tag-plants.tsx';

/** Plants of a page. */
const PAGE_SIZE = 50;

/** What is done to which plants. */
type Task =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit' | 'delete' | 'tag'; readonly plants: readonly StoredPlant[] };

/** The plants, a page at a time, and all that can be done with them. */
export function PlantsView() {
  const { query, state } = useValue(route);
  const { name, tag, after } = query;
  const filter = { ...(name && { name }), ...(tag && { tag }) };
  const page = useLoaded(
    (signal) => listPlants(filter, after, PAGE_SIZE, signal),
    [name, tag, after, useValue(plantsChanged)],
  );
  const [selected, setSelected] = useState<ReadonlySet<bigint>>(new Set());
  const [task, setTask] = useState<Task>();
  // The pages before this one, by where they begin: a page knows only the next one.
  const trail = (state['trail'] ?? []) as readonly (string | null)[];
  useEffect(() => setSelected(new Set()), [name, tag, after]);
  // The row or the button that had the focus may be gone; at first nothing had it.
  useEffect(() => {
    if (page.value) keepFocus();
  }, [page.value, task, selected.size > 0]);

  const plants = page.value?.plants ?? [];
  const next = page.value?.next;
  const chosen = plants.filter(({ id }) => selected.has(id));
  const showPage = (place: string | null, pagesBefore: readonly (string | null)[]) =>
    go('plants', { ...filter, ...(place !== null && { after: place }) }, { state: { trail: pagesBefore } });
  const end = (hasChanged: boolean) => {
    // Who has left while a request was under way may be at something else.
    setTask((current) => (current === task ? undefined : current));
    if (!hasChanged) return;
    setSelected(new Set());
    page.reload();
  };

  return (
    <>
      <h1 tabIndex={-1}>{texts.views.plants}</h1>
      <FilterBar filter={filter}>
        <button type="button" class="primary" onClick={() => setTask({ kind: 'add' })}>
          {texts.plants.add}
        </button>
      </FilterBar>
      <LoadFailure of={page} />
      {plants.length > 0 && (
        <PlantTable
          plants={plants}
          isLoading={page.isLoading}
          selected={selected}
          onSelect={setSelected}
          onEdit={(plant) => setTask({ kind: 'edit', plants: [plant] })}
          onDelete={(plant) => setTask({ kind: 'delete', plants: [plant] })}
        />
      )}
      {plants.length === 0 && page.isLoading && <p class="empty">{texts.loading}</p>}
      {page.value && plants.length === 0 && !page.isLoading && (
        <div class="empty">
          <p>{name || tag || after ? texts.plants.noneFound : texts.plants.none}</p>
          {name || tag || after ? (
            <button type="button" onClick={() => go('plants')}>
              {texts.plants.clear}
            </button>
          ) : (
            <p>{texts.plants.addFirst}</p>
          )}
        </div>
      )}
      {chosen.length > 0 && (
        <div class="bar" role="group" aria-label={texts.plants.selected(chosen.length)}>
          <span>{texts.plants.selected(chosen.length)}</span>
          <button type="button" onClick={() => setTask({ kind: 'tag', plants: chosen })}>
            {texts.plants.tagSelected}
          </button>
          <button type="button" class="danger" onClick={() => setTask({ kind: 'delete', plants: chosen })}>
            {texts.plants.deleteSelected}
          </button>
          <button type="button" class="quiet" onClick={() => setSelected(new Set())}>
            {texts.plants.clearSelection}
          </button>
        </div>
      )}
      <nav class="pages" aria-label={texts.plants.pages}>
        <Button isOff={after === undefined} onClick={() => showPage(null, [])}>
          {texts.plants.first}
        </Button>
        <Button isOff={trail.length === 0} onClick={() => showPage(trail.at(-1) ?? null, trail.slice(0, -1))}>
          {texts.plants.previous}
        </Button>
        <Button
          isOff={next === undefined || page.isLoading}
          onClick={() => next !== undefined && showPage(next, [...trail, after ?? null])}
        >
          {texts.plants.next}
        </Button>
        <span role="status">{page.isLoading ? texts.loading : texts.plants.shown(plants.length)}</span>
      </nav>
      {task?.kind === 'add' && <EditPlant onEnd={end} />}
      {task?.kind === 'edit' && task.plants[0] && <EditPlant plant={task.plants[0]} onEnd={end} />}
      {task?.kind === 'delete' && <DeletePlants plants={task.plants} onEnd={end} />}
      {task?.kind === 'tag' && <TagPlants plants={task.plants} onEnd={end} />}
    </>
  );
}
