import { useId } from 'preact/hooks';
import { PlantText, startOf } from '../plants/plant-text.tsx';
import { parseId, readFields } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Chart } from '../ui/chart.tsx';
import { Problem } from '../ui/dialog.tsx';
import { FileIcon, Icon } from '../ui/icons.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { useRescuedFocus } from '../ui/rescued-focus.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { saveFile } from './background.ts';
import { inspect, type Preview, type Source } from './files/source.ts';
import { currentImport, type Import, type Progress, startImport } from './import-run.ts';
import { speedOf, timeLeft } from './pace.ts';
import styles from './transfer.module.css';

/** Characters of a refused line that are shown. */
const SHOWN = 60;

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
    async (signal) => file && inspect(file, async () => readFields(signal)),
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
          texts.transfer.found(source.file.name, source.format.name, texts.transfer.size(source.file.size))}
      </p>
      {source && (
        <>
          <RecordTable
            caption={texts.transfer.preview}
            titles={[texts.plants.id, texts.plants.name, texts.plants.tag]}
            rows={source.preview.map(rowOf)}
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

/** A record as the service will see it. */
function rowOf({ id, name, tag, text }: Preview) {
  return [
    <span class={id !== undefined && parseId(id) !== undefined ? undefined : 'problem'}>
      {id !== undefined && parseId(id) !== undefined ? id : `${id ?? '–'} ${texts.transfer.badId}`}
    </span>,
    <PlantText text={name ?? text} ifEmpty={texts.plants.unnamed} />,
    tag !== undefined && (
      <span class="tag">
        <PlantText text={tag} ifEmpty={texts.plants.emptyTag} />
      </span>
    ),
  ];
}

/** How far an import is, and how it has ended. */
export function ImportPanel({ running }: { readonly running: Import }) {
  const progress = running.progress.value;
  const { state, stored, refused, refusals, failure } = progress;
  const { name } = running.source.file;
  const isRunning = state === 'running';
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  return (
    <div ref={panel} tabIndex={-1}>
      {isRunning && <ImportProgress running={running} progress={progress} />}
      <div role="status">
        {!isRunning && (
          <p class={`text banner ${state === 'done' && refused > 0 ? 'partial' : state}`}>
            <strong>{texts.transfer.ends[state]}</strong>
            <span>{texts.transfer.outcome(stored, refused)}</span>
            <small>{name}</small>
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
            rows={refusals.map(({ line, status, message, text }) => [
              line,
              `${status} · ${message}`,
              <code class="text">{startOf(text, SHOWN)}</code>,
            ])}
          />
          <p>
            <button
              type="button"
              onClick={() => saveFile(running.refusalsFile(), texts.transfer.refusalsName(name))}
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

function ImportProgress({ running, progress }: { readonly running: Import; readonly progress: Progress }) {
  const { size, name } = running.source.file;
  const { stored, refused, bytes, marks } = progress;
  const left = timeLeft(marks, size);
  const [first, last] = [marks[0]?.at ?? 0, marks.at(-1)?.at ?? 0];
  return (
    <>
      <label class={styles['progress']}>
        <span class="text">{texts.transfer.running(name)}</span>
        <strong>{left === undefined ? texts.percent(bytes / size) : texts.transfer.left(left)}</strong>
        <progress max={size} value={bytes} />
      </label>
      <p>
        {[
          texts.transfer.lines(stored + refused),
          texts.transfer.of(texts.transfer.size(bytes), texts.transfer.size(size)),
          texts.transfer.refused(refused),
        ].join(' · ')}
      </p>
      {last > first && (
        <Chart
          name={texts.transfer.speed}
          points={speedOf(marks)}
          from={first}
          to={last}
          format={(value) => Math.round(value).toLocaleString('en')}
        />
      )}
      <p>
        <button type="button" onClick={() => running.cancel()}>
          {texts.cancel}
        </button>
      </p>
    </>
  );
}
