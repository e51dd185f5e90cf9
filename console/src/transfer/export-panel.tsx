import { texts } from '../texts.ts';
import { useValue } from '../ui/observable.ts';
import { useRescuedFocus } from '../ui/rescued-focus.ts';
import { cancelExport, currentExport, startExport } from './export-run.ts';

/** Saves all plants as a file. */
export function ExportPanel() {
  const { state, plants, bytes, failure } = useValue(currentExport);
  const isRunning = state === 'running';
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  return (
    <div ref={panel} tabIndex={-1}>
      <p>{texts.transfer.exportHint}</p>
      {isRunning && (
        <>
          <label class="progress">
            {texts.transfer.exporting}
            <progress />
          </label>
          <p>
            {texts.plants.shown(plants)} · {texts.transfer.size(bytes)}
          </p>
          <button key="cancel" type="button" onClick={cancelExport}>
            {texts.cancel}
          </button>
        </>
      )}
      <p role="status">
        {state === 'done' && texts.transfer.exported(plants, texts.transfer.size(bytes))}
        {state === 'cancelled' && texts.transfer.exportCancelled}
      </p>
      <p class="problem" role="alert">
        {failure}
      </p>
      {!isRunning && (
        <button key="start" type="button" onClick={() => void startExport()}>
          {state === 'failed' ? texts.tryAgain : texts.transfer.exportStart}
        </button>
      )}
    </div>
  );
}
