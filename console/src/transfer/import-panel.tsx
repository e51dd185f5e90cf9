import { FileUp } from '../ui/icons.js';
import { useId, useState } from 'preact/hooks';
import { parseJson } from '../exact-json.ts';
import { PlantTag, PlantText, startOf } from '../plants/plant-text.tsx';
import { listPlants, parseId, readFields } from '../service/plants.ts';
import { may } from '../service/tokens.ts';
import { isolated, number, plural, sizeOf, texts } from '../texts.ts';
import { Button, Icon } from '../ui/button.tsx';
import { Problem, Select, textOf } from '../ui/field.tsx';
import { useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { addressOf } from '../ui/route.ts';
import { Table } from '../ui/table.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import { saveFile } from './background.ts';
import { currentImport, ENDS, type Import, outcomeOf, percentOf, startImport } from './import-run.ts';
import { idOf, readSource, type Source } from './source.ts';
import styles from './transfer.module.css';

/** Maximum rows for which the preview looks up existing plants, and ids per request. */
const ASKED = 10_000;
const IDS = 100;

/** Records shown before an import, and refusals. */
const PREVIEWED = 5;
const SHOWN = 20;

const SHOWN_LENGTH = 60;

interface ChooseFileProps {
  readonly file: File | undefined;
  readonly isOver: boolean;
  readonly onChoose: (file: File | undefined) => void;
}

/** Asks for a file, and shows a preview before the import. */
export function ChooseFile({ file, isOver, onChoose }: ChooseFileProps) {
  const id = useId();
  useRescuedFocus([]);
  const [chosen, setChosen] = useState<{ file?: File | undefined; indexes?: Source['indexes'] }>({});
  const indexes = chosen.file === file ? chosen.indexes : undefined;
  const { value, failure } = useLoaded(
    async (signal) => file && readSource(file, async () => readFields(signal), indexes),
    [file, indexes],
  );
  const problem = failure?.message;
  // The value may still be that of the previous file.
  const source = failure || value?.file !== file ? undefined : value;
  return (
    <>
      <div class={`surface ${styles['drop']} ${isOver ? styles['over'] : ''}`}>
        <Icon of={FileUp} />
        <label for={id}>Drop a file here, or choose one</label>
        <small id={`${id}-hint`}>A CSV with a header row, such as from Excel, or NDJSON</small>
        <input
          id={id}
          type="file"
          accept=".ndjson,.jsonl,.csv,.tsv,.txt"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint ${id}-problem`}
          // The same file can be chosen again after a correction.
          onClick={({ currentTarget }) => (currentTarget.value = '')}
          onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
        />
      </div>
      <Problem id={`${id}-problem`} text={problem && `${file?.name}: ${problem}`} />
      <p role="status" class="text">
        {source && `${source.file.name}: ${source.format}, ${sizeOf(source.file.size)}`}
      </p>
      {source && (
        <>
          <Columns source={source} onChoose={(changed) => setChosen({ file, indexes: changed })} />
          {[source.indexes['id'], source.indexes['name']].includes(-1) ? (
            <p>Choose the columns of ID and name.</p>
          ) : (
            <Preview source={source} onStart={() => onChoose(undefined)} />
          )}
        </>
      )}
    </>
  );
}

interface ColumnsProps {
  readonly source: Source;
  readonly onChoose: (indexes: Source['indexes']) => void;
}

/** Lets the user choose the column of each field, at first by the header. */
function Columns({ source: { header, indexes, isGuessed }, onChoose }: ColumnsProps) {
  const titles = Object.fromEntries(
    header.map((title, index) => [String(index), title || `Column ${index + 1}`]),
  );
  const ignored = header.filter((_title, index) => !Object.values(indexes).includes(index));
  return (
    <>
      {isGuessed && <p>Which column is what? Check it in the preview.</p>}
      {header.length > 0 && (
        <fieldset class={`row ${styles['columns']}`} aria-label="Columns">
          {Object.entries(indexes).map(([field, index]) => (
            <label key={field}>
              {field}{' '}
              <Select
                aria-label={field}
                value={String(index)}
                options={{ '-1': '–', ...titles }}
                onChoose={(column) => onChoose({ ...indexes, [field]: Number(column) })}
              />
            </label>
          ))}
        </fieldset>
      )}
      {ignored.length > 0 && <p class="soft text">{`Ignored columns: ${isolated(ignored.join(', '))}`}</p>}
    </>
  );
}

/** Shows the effects of an import, with its first records as the service will see them. */
function Preview({ source, onStart }: { readonly source: Source; readonly onStart: () => void }) {
  const { records, refused, toJson } = source;
  const [isUpdating, setIsUpdating] = useState(false);
  const taken = useLoaded(async (signal) => countTaken(source, signal), [source]).value;
  const told = [
    plural(records.length + refused.length, 'line'),
    ...(taken === undefined
      ? []
      : [`${number(records.length - taken)} new`, `${number(taken)} with an ID that is taken`]),
    `${number(refused.length)} refused`,
  ];
  return (
    <>
      <p role="status">{told.join(' · ')}</p>
      <Table
        class="records"
        caption={records.length > PREVIEWED ? `Preview: the first ${PREVIEWED} lines` : 'Preview'}
        titles={[texts.id, texts.name, texts.tag]}
        head={1}
        rows={records
          .slice(0, PREVIEWED)
          .map(({ line, cells }) => ({ key: String(line), cells: cellsOf(toJson(cells)) }))}
      />
      <Refusals source={source} refusals={refused} />
      {may('plants:read') && taken !== 0 && (
        <label class="row">
          <input
            type="checkbox"
            checked={isUpdating}
            onChange={({ currentTarget }) => setIsUpdating(currentTarget.checked)}
          />
          Update plants that exist. Empty cells change nothing.
        </label>
      )}
      <p>
        <Button
          label="Start import"
          class="primary"
          onClick={() => {
            onStart();
            startImport(source, isUpdating);
          }}
        />
      </p>
    </>
  );
}

/** Counts the records whose id is taken by a plant or an earlier record; undefined if there are too many to ask. */
async function countTaken(source: Source, signal: AbortSignal): Promise<number | undefined> {
  const { records } = source;
  if (records.length > ASKED || !may('plants:read')) return undefined;
  const ids = records.flatMap((record) => idOf(source, record) ?? []);
  const own = [...new Set(ids)];
  let taken = ids.length - own.length;
  for (let start = 0; start < own.length; start += IDS)
    taken += (await listPlants({ ids: own.slice(start, start + IDS).join() }, signal, { limit: IDS })).plants
      .length;
  return taken;
}

/** Lines that are not imported, and why. */
function Refusals({ source, refusals }: Readonly<{ source: Source; refusals: Source['refused'] }>) {
  if (refusals.length === 0) return null;
  return (
    <Table
      class="records"
      caption="Rejected lines"
      titles={['Line', 'Reason', 'Text']}
      head={1}
      rows={refusals.slice(0, SHOWN).map(({ line, message, cells }) => ({
        key: String(line),
        cells: [line, message, <code class="text">{startOf(source.toText(cells), SHOWN_LENGTH)}</code>],
      }))}
    />
  );
}

/** A record as the service will see it. */
function cellsOf(json: string) {
  const { id = '–', name = json, tag } = membersOf(json);
  return [
    parseId(id) === undefined ? <span class="problem">{id} (not an ID)</span> : id,
    <PlantText text={name} />,
    <PlantTag of={{ tag }} />,
  ];
}

/** The members of a JSON object as texts, with every digit. */
function membersOf(json: string): Readonly<Record<string, string>> {
  try {
    const members = Object.entries(parseJson(json) as object);
    return Object.fromEntries(members.map(([name, value]) => [name, textOf(value)]));
  } catch {
    return {};
  }
}

/** The progress of an import, then its result. */
export function ImportPanel({ running }: { readonly running: Import }) {
  const { source, answered, refusals, progress } = running;
  const { state, left, failure } = progress.value;
  const refused = refusals.length;
  const isRunning = state === 'running';
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  return (
    <div ref={panel} tabIndex={-1}>
      {isRunning && (
        <>
          <label>
            <span class="text">Importing {source.file.name}</span>
            <strong>{left === undefined ? percentOf(running) : leftOf(left)}</strong>
            <progress max={source.records.length} value={answered} />
          </label>
          <p>
            {number(answered)} of {plural(source.records.length, 'line')} · {number(refused)} rejected
          </p>
          <Button label={texts.cancel} onClick={() => running.cancel()} />
        </>
      )}
      <div role="status">
        {!isRunning && (
          <p class={`text banner ${state === 'done' && refused > 0 ? 'partial' : state}`}>
            <strong>{ENDS[state]}</strong>
            <span>{outcomeOf(running)}</span>
            <small>{source.file.name}</small>
          </p>
        )}
      </div>
      <Problem text={failure} />
      {!isRunning && (
        <>
          {state !== 'done' && <p>You can resume: no line is imported twice.</p>}
          <div class="tools">
            {state !== 'done' && (
              <Button class="primary" onClick={() => void running.run()}>
                {state === 'failed' ? texts.tryAgain : 'Resume'}
              </Button>
            )}
            {may('plants:read') && <a href={addressOf('activity')}>Show or undo it in the activity</a>}
            <Button label="Import another file" onClick={() => (currentImport.value = undefined)} />
          </div>
          {refused > 0 && (
            <>
              <Refusals source={source} refusals={refusals} />
              <p>
                <Button onClick={() => saveFile(running.refusalsFile(), `rejected-${source.file.name}`)}>
                  Download rejected lines
                </Button>
              </p>
              <small>Correct them in that file, and import it.</small>
            </>
          )}
        </>
      )}
    </div>
  );
}

function leftOf(milliseconds: number): string {
  return milliseconds < 60_000
    ? `About ${Math.ceil(milliseconds / 5_000) * 5} s left`
    : `About ${Math.ceil(milliseconds / 60_000)} min left`;
}
