import { FileUp } from 'lucide';
import { useId } from 'preact/hooks';
import { parseJson } from '../exact-json.ts';
import { PlantTag, PlantText, startOf } from '../plants/plant-text.tsx';
import { parseId, readFields } from '../service/plants.ts';
import { isolated, number, plural, sizeOf, texts } from '../texts.ts';
import { Button, Icon } from '../ui/button.tsx';
import { Problem, textOf } from '../ui/field.tsx';
import { useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { Table } from '../ui/table.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import { saveFile } from './background.ts';
import { currentImport, ENDS, type Import, outcomeOf, percentOf, startImport } from './import-run.ts';
import { readSource, type Source } from './source.ts';
import styles from './transfer.module.css';

/** Records that are shown before an import, and refusals after it. */
const PREVIEWED = 5;
const SHOWN = 20;

const SHOWN_LENGTH = 60;

interface ChooseFileProps {
  readonly file: File | undefined;
  readonly isOver: boolean;
  readonly onChoose: (file: File | undefined) => void;
}

/** Asks for a file, and shows what is in it before it is imported. */
export function ChooseFile({ file, isOver, onChoose }: ChooseFileProps) {
  const id = useId();
  useRescuedFocus([]);
  const { value, failure, isLoading } = useLoaded(
    async (signal) => file && readSource(file, async () => readFields(signal)),
    [file],
  );
  const problem = failure?.message;
  // What is known of the file before is not what is in this one.
  const source = failure || isLoading ? undefined : value;
  const start = (chosen: Source) => {
    onChoose(undefined);
    startImport(chosen);
  };
  return (
    <>
      <div class={`surface ${styles['drop']} ${isOver ? styles['over'] : ''}`}>
        <Icon of={FileUp} />
        <label for={id}>Drop a file here, or choose one</label>
        <small id={`${id}-hint`}>CSV with a header row (id, name, tag), or NDJSON</small>
        <input
          id={id}
          type="file"
          accept=".ndjson,.jsonl,.csv,.tsv,.txt"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint ${id}-problem`}
          // A file that was corrected can be chosen again.
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
          <Table
            class="records"
            caption="Preview"
            titles={[texts.id, texts.name, texts.tag]}
            head={1}
            rows={source.records
              .slice(0, PREVIEWED)
              .map(({ line, cells }) => ({ key: String(line), cells: cellsOf(source.toJson(cells)) }))}
          />
          {source.ignored.length > 0 && (
            <p class="banner partial text">{`Ignored columns: ${isolated(source.ignored.join(', '))}`}</p>
          )}
          <p>
            <Button label="Start import" class="primary" onClick={() => start(source)} />
          </p>
        </>
      )}
    </>
  );
}

/** A record as the service will see it; only a text when it is no plant at all. */
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

/** How far an import is, and how it has ended. */
export function ImportPanel({ running }: { readonly running: Import }) {
  const { source, refusals, progress } = running;
  const { state, stored, refused, left, failure } = progress.value;
  const isRunning = state === 'running';
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  return (
    <div ref={panel} tabIndex={-1}>
      {isRunning && (
        <>
          <label>
            <span class="text">Importing {source.file.name}</span>
            <strong>{left === undefined ? percentOf(running) : leftOf(left)}</strong>
            <progress max={source.records.length} value={stored + refused} />
          </label>
          <p>
            {number(stored + refused)} of {plural(source.records.length, 'line')} · {number(refused)} rejected
          </p>
          <Button label={texts.cancel} onClick={() => running.cancel()} />
        </>
      )}
      <div role="status">
        {!isRunning && (
          <p class={`text banner ${state === 'done' && refused > 0 ? 'partial' : state}`}>
            <strong>{ENDS[state]}</strong>
            <span>{outcomeOf(progress.value)}</span>
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
            <Button label="Import another file" onClick={() => (currentImport.value = undefined)} />
          </div>
          {refused > 0 && (
            <>
              <Table
                class="records"
                caption="Rejected lines"
                titles={['Row', 'Reason', 'Text']}
                head={1}
                rows={refusals.slice(0, SHOWN).map(({ line, status, message, cells }) => ({
                  key: String(line),
                  cells: [
                    line,
                    `${status} · ${message}`,
                    <code class="text">{startOf(source.toText(cells), SHOWN_LENGTH)}</code>,
                  ],
                }))}
              />
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
