import { useState } from 'preact/hooks';
import { writeJson } from '../exact-json.ts';
import { PlantText, startOf } from '../plants/plant-text.tsx';
import { type Change, feed, followAgain, LATEST } from '../service/changes.ts';
import { parseId } from '../service/plants.ts';
import { readCurrentToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { CopyButton } from '../ui/copy.tsx';
import { textOf } from '../ui/field.tsx';
import { LoadFailure } from '../ui/notice.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { addressOf, go, route } from '../ui/route.ts';

/** Characters of a field that are shown. */
const SHOWN = 100;

/** The latest changes of plants, as they are made. */
export function ChangesView() {
  const [paused, setPaused] = useState<typeof feed.value>();
  const { changes, failure } = paused ?? feed.value ?? { changes: [] };
  const { id: wanted = '' } = route.value.query;
  const id = parseId(wanted);
  const found = changes.filter(({ plant }) => !wanted || plant.id === id).toReversed();
  const { titles, kinds, states, latest, withId, pause, goOn } = texts.changes;
  const state = paused ? states.paused : failure ? states.ended : states.live;
  const address = new URL(`../plants/changes?after=-${LATEST}`, location.href).href;
  const search = id === undefined ? '' : ` | grep '"plant":{"id":${id}[,}]'`;
  /** Asks for another token if this one has ended. */
  const reload = () => void readCurrentToken(new AbortController().signal).then(followAgain, followAgain);
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.changes}</h1>
      <form class="tools" role="search" onSubmit={(event) => event.preventDefault()}>
        <p role="status" class="soft">
          {feed.value
            ? `${state}: ${latest(changes.length)}${wanted && withId(found.length, wanted)}`
            : texts.loading}
        </p>
        <label class="box">
          <span>{texts.plants.id}</span>
          <input
            type="search"
            autoComplete="off"
            value={wanted}
            onInput={({ currentTarget: { value } }) =>
              go('changes', value ? { id: value } : {}, { isReplacement: true })
            }
          />
        </label>
        <button type="button" onClick={() => setPaused(paused ? undefined : feed.value)}>
          {paused ? goOn : pause}
        </button>
        <CopyButton
          label={texts.plants.copyCommand}
          text={`curl '${address}' -H 'Accept: application/x-ndjson' -H "Authorization: Bearer $TOKEN"${search}`}
        />
      </form>
      <LoadFailure of={{ value: undefined, failure, isLoading: false, reload }} />
      {found.length > 0 && (
        <div class="panel sheet">
          <RecordTable
            titles={titles}
            rows={found.map((change) => [
              <a href={addressOf('plants', { search: String(change.plant.id) })}>
                {String(change.plant.id)}
              </a>,
              <>
                <PlantText text={change.plant.name} ifEmpty={texts.plants.unnamed} />{' '}
                {change.plant.tag !== undefined && (
                  <span class="tag">
                    <PlantText text={change.plant.tag} ifEmpty={texts.plants.emptyTag} />
                  </span>
                )}
                <div>
                  <small>
                    <PlantText text={differences(change, changes)} ifEmpty="" />
                  </small>
                </div>
              </>,
              <>
                <span class={change.kind === 'deleted' ? 'danger' : undefined}>{kinds[change.kind]}</span>{' '}
                <small>{new Date(change.at).toLocaleString()}</small>
              </>,
            ])}
          />
        </div>
      )}
    </>
  );
}

/** The fields that a change has changed, a line each; empty where no earlier change tells. */
function differences({ cursor, kind, plant }: Change, changes: readonly Change[]): string {
  const earlier = changes.findLast((other) => other.cursor < cursor && other.plant.id === plant.id);
  if (kind !== 'changed' || earlier === undefined) return '';
  const before: Readonly<Record<string, unknown>> = earlier.plant;
  const after: typeof before = plant;
  const show = (value: unknown) => startOf(textOf(value ?? '–'), SHOWN);
  return Object.keys({ ...before, ...after })
    .filter((field) => writeJson(before[field]) !== writeJson(after[field]))
    .map((field) => texts.changes.difference(field, show(before[field]), show(after[field])))
    .join('\n');
}
