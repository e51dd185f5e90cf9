import { useId } from 'preact/hooks';
import { parseJson } from '../exact-json.ts';
import { PlantText, startOf } from '../plants/plant-text.tsx';
import { parseId, readFields } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Problem } from '../ui/messages/dialog.tsx';
import { textOf } from '../ui/controls/field.tsx';
import { FileIcon, Icon } from '../ui/icons.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { saveFile } from './background.ts';
import { currentImport, type Import, startImport } from './import-run.ts';
import { readSource, type Source } from './source.ts';
import styles from './transfer.module.css';

/** Records that are shown before an import, and refusals after it. */
const PREVIEWED = 5;
const SHOWN = 20;

/** Characters of a refused record that are shown. */
const SHOWN_LENGTH = 60;

interface ChooseFileProps {
  readonly file: File | undefined;
  /** Whether a file is held over the page. */
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
      <div class={`${styles['drop']} ${isOver ? styles['over'] : ''}`}>
        <Icon of={FileIcon} />
        <label for={id}>{texts.transfer.file}</label>
        <small id={`${id}-hint`}>{texts.transfer.fileHint}</small>
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
      <small id={`${id}-problem`} class="problem" role="alert">
        {problem && `${file?.name}: ${problem}`}
      </small>
      <p role="status" class="text">
        {source &&
          texts.transfer.found(source.file.name, source.format, texts.transfer.size(source.file.size))}
      </p>
      {source && (
        <>
          <RecordTable
            caption={texts.transfer.preview}
            titles={[texts.plants.id, texts.plants.name, texts.plants.tag]}
            rows={source.records.slice(0, PREVIEWED).map(({ cells }) => rowOf(source.toJson(cells)))}
          />
          {source.ignored.length > 0 && (
            <p class="banner partial text">{texts.transfer.ignored(source.ignored.join(', '))}</p>
          )}
          <p>
            <button type="button" class="primary" onClick={() => start(source)}>
              {texts.transfer.start}
            </button>
          </p>
        </>
      )}
    </>
  );
}

/** A record as the service will see it; only a text when it is no plant at all. */
function rowOf(json: string) {
  const { id, name = json, tag } = membersOf(json);
  const isId = id !== undefined && parseId(id) !== undefined;
  return [
    <span class={isId ? undefined : 'problem'}>{isId ? id : `${id ?? '–'} ${texts.transfer.badId}`}</span>,
    <PlantText text={name} ifEmpty={texts.plants.unnamed} />,
    tag !== undefined && (
      <span class="tag">
        <PlantText text={tag} ifEmpty={texts.plants.emptyTag} />
      </span>
    ),
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
  const { state, stored, refused, failure } = running.progress.value;
  const { source, refusals } = running;
  const isRunning = state === 'running';
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  return (
    <div ref={panel} tabIndex={-1}>
      {isRunning && <ImportProgress running={running} />}
      <div role="status">
        {!isRunning && (
          <p class={`text banner ${state === 'done' && refused > 0 ? 'partial' : state}`}>
            <strong>{texts.transfer.ends[state]}</strong>
            <span>{texts.transfer.outcome(stored, refused)}</span>
            <small>{source.file.name}</small>
          </p>
        )}
      </div>
      <Problem text={failure} />
      {!isRunning && state !== 'done' && <p>{texts.transfer.repeatable}</p>}
      {!isRunning && (
        <div class="tools">
          {state !== 'done' && (
            <button type="button" class="primary" onClick={() => void running.run()}>
              {state === 'failed' ? texts.tryAgain : texts.transfer.goOn}
            </button>
          )}
          <button type="button" onClick={() => (currentImport.value = undefined)}>
            {texts.transfer.another}
          </button>
        </div>
      )}
      {!isRunning && refused > 0 && (
        <>
          <RecordTable
            caption={texts.transfer.refusals}
            titles={texts.transfer.refusalTitles}
            rows={refusals
              .slice(0, SHOWN)
              .map(({ line, status, message, cells }) => [
                line,
                `${status} · ${message}`,
                <code class="text">{startOf(source.toText(cells), SHOWN_LENGTH)}</code>,
              ])}
          />
          <p>
            <button
              type="button"
              onClick={() => saveFile(running.refusalsFile(), texts.transfer.refusalsName(source.file.name))}
            >
              {texts.transfer.download}
            </button>
          </p>
          <small>{texts.transfer.downloadHint}</small>
        </>
      )}
    </div>
  );
}

function ImportProgress({ running }: { readonly running: Import }) {
  const { stored, refused, left } = running.progress.value;
  const { file, records } = running.source;
  const done = stored + refused;
  return (
    <>
      <label>
        <span class="text">{texts.transfer.running(file.name)}</span>
        <strong>
          {left === undefined ? texts.percent(done / records.length) : texts.transfer.left(left)}
        </strong>
        <progress max={records.length} value={done} />
      </label>
      <p>
        {texts.transfer.of(done, records.length)} · {texts.transfer.refused(refused)}
      </p>
      <button type="button" onClick={() => running.cancel()}>
        {texts.cancel}
      </button>
    </>
  );
}
