import { startOf } from '../plants/plant-text.tsx';
import { texts } from '../texts.ts';
import { useValue } from '../ui/observable.ts';
import { useRescuedFocus } from '../ui/rescued-focus.ts';
import { saveFile } from '../ui/save-file.ts';
import { currentImport, type Import, type Progress } from './import-run.ts';
import { RecordTable } from './record-table.tsx';

/** Characters of a refused line that are shown. */
const SHOWN = 60;

/** How far an import is, and how it has ended. */
export function ImportPanel({ running }: { readonly running: Import }) {
  const progress = useValue(running.progress);
  const { state, stored, refused, refusals, failure } = progress;
  const { name } = running.source.file;
  const isRunning = state === 'running';
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  return (
    <div ref={panel} tabIndex={-1}>
      {isRunning && <ImportProgress running={running} progress={progress} />}
      <div role="status">
        {!isRunning && (
          <>
            <p class="text">
              <strong>{name}</strong>: {texts.transfer.ends[state]}
            </p>
            <p>{texts.transfer.outcome(stored, refused)}</p>
          </>
        )}
      </div>
      <p class="problem" role="alert">
        {failure}
      </p>
      {!isRunning && (
        <>
          {state !== 'done' && <p>{texts.transfer.repeatable}</p>}
          <div class="pages">
            {state !== 'done' && (
              <button type="button" class="primary" onClick={() => void running.run()}>
                {state === 'failed' ? texts.tryAgain : texts.transfer.goOn}
              </button>
            )}
            <button type="button" onClick={() => (currentImport.value = undefined)}>
              {texts.transfer.another}
            </button>
          </div>
        </>
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
  const { stored, refused, bytes } = progress;
  return (
    <>
      <label class="progress">
        <span class="text">{texts.transfer.running(name)}</span>
        <progress max={size} value={bytes} />
      </label>
      <p>
        {[
          texts.transfer.lines(stored + refused),
          texts.transfer.of(texts.transfer.size(bytes), texts.transfer.size(size)),
          texts.transfer.refused(refused),
        ].join(' · ')}
      </p>
      <p>
        <button type="button" onClick={() => running.cancel()}>
          {texts.cancel}
        </button>
      </p>
    </>
  );
}
