import { useId, useState } from 'preact/hooks';
import type { PlantFilter } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Problem } from '../ui/messages/dialog.tsx';
import { useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { addressOf } from '../ui/route.ts';
import { cancelExport, currentExport, type ExportFormat, startExport } from './export-run.ts';

/** Saves the plants of a filter, or all, as a file. */
export function ExportPanel({ filter }: { readonly filter: PlantFilter }) {
  const id = useId();
  const [format, setFormat] = useState<ExportFormat>('ndjson');
  const { isRunning, plants, outcome, failure } = currentExport.value;
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  const isAll = Object.keys(filter).length === 0;
  return (
    <div ref={panel} tabIndex={-1}>
      {isAll ? (
        <p>{texts.transfer.exportHint}</p>
      ) : (
        <p class="text">
          {texts.transfer.exportFiltered(filter)}{' '}
          <a href={addressOf('transfer')}>{texts.transfer.exportAll}</a>
        </p>
      )}
      {isRunning ? (
        <>
          <label>
            {texts.transfer.exporting}
            <strong>{texts.transfer.plants(plants)}</strong>
            <progress />
          </label>
          <button key="cancel" type="button" onClick={cancelExport}>
            {texts.cancel}
          </button>
        </>
      ) : (
        <>
          <div class="field">
            <label for={id}>{texts.transfer.format}</label>
            <select id={id} onChange={({ currentTarget }) => setFormat(currentTarget.value as ExportFormat)}>
              {Object.entries(texts.transfer.formats).map(([name, text]) => (
                <option key={name} value={name} selected={name === format}>
                  {text}
                </option>
              ))}
            </select>
          </div>
          <button key="start" type="button" class="primary" onClick={() => void startExport(filter, format)}>
            {isAll ? texts.transfer.exportStart : texts.transfer.exportStartFiltered}
          </button>
        </>
      )}
      <p role="status">{outcome}</p>
      <Problem text={failure} />
    </div>
  );
}
