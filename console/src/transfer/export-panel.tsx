import { Signal } from '@preact/signals';
import { useId, useState } from 'preact/hooks';
import { writeJson } from '../exact-json.ts';
import { Refusal } from '../service/connection.ts';
import { allPlants, exportedLines, type PlantFilter, readFields } from '../service/plants.ts';
import { described, plantCount, sizeOf, texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Problem, Select } from '../ui/field.tsx';
import { useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { addressOf } from '../ui/route.ts';
import { activity, announceEnd, saveFile, whileBusy } from './background.ts';
import { rowOf, writeRow } from './csv.ts';

/** Spreadsheets expect a semicolon where the decimal sign is a comma. */
const SEPARATOR = (0.5).toLocaleString().includes(',') ? ';' : ',';

/** Characters per Blob: the browser stores Blobs outside of the page's memory. */
const PIECE_LENGTH = 4 * 2 ** 20;

type ExportFormat = 'ndjson' | 'csv';

/** The progress or result of an export. */
interface ExportProgress {
  readonly isRunning: boolean;
  readonly plants: number;
  readonly outcome?: string;
  readonly failure?: string;
}

/** The current export. It continues while the user is in another view. */
const currentExport = new Signal<ExportProgress>({ isRunning: false, plants: 0 });

let controller: AbortController;

/** Exports all plants, or those of a filter. */
export function ExportPanel({ filter }: { readonly filter: PlantFilter }) {
  const id = useId();
  const [format, setFormat] = useState<ExportFormat>('csv');
  const { isRunning, plants, outcome, failure } = currentExport.value;
  const panel = useRescuedFocus<HTMLDivElement>([isRunning]);
  const isAll = Object.keys(filter).length === 0;
  return (
    <div ref={panel} tabIndex={-1}>
      {isAll ? (
        <p>To export only some plants, filter the list and choose Export there.</p>
      ) : (
        <p class="text">
          Plants with {described(filter)} <a href={addressOf('transfer')}>All plants instead</a>
        </p>
      )}
      {isRunning ? (
        <>
          <label>
            Exporting
            <strong>{plantCount(plants)}</strong>
            <progress />
          </label>
          <Button key="cancel" label={texts.cancel} onClick={() => controller.abort()} />
        </>
      ) : (
        <>
          <div class="field">
            <label for={id}>Format</label>
            <Select
              id={id}
              value={format}
              options={{ csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, for programs' }}
              onChoose={(chosen) => setFormat(chosen as ExportFormat)}
            />
          </div>
          <Button key="start" class="primary" onClick={() => void startExport(filter, format)}>
            {isAll ? 'Export all plants' : 'Export these plants'}
          </Button>
        </>
      )}
      <p role="status">{outcome}</p>
      <Problem text={failure} />
    </div>
  );
}

/** Exports plants; an incomplete response saves nothing. */
async function startExport(filter: PlantFilter, format: ExportFormat): Promise<void> {
  controller = new AbortController();
  const { signal } = controller;
  currentExport.value = { isRunning: true, plants: 0 };
  activity.value = 'Exporting';
  try {
    const file = `plants.${format}`;
    const content = await whileBusy(() => readPlants(filter, format, signal));
    saveFile(content, file);
    const saved = plantCount(currentExport.value.plants);
    const outcome = `Exported ${saved} to ${file} (${sizeOf(content.size)})`;
    show({ isRunning: false, outcome });
    announceEnd(outcome, 'done');
  } catch (error) {
    if (signal.aborted) {
      show({ isRunning: false, outcome: 'Export cancelled. No file was saved.' });
      activity.value = undefined;
      return;
    }
    const failure = error instanceof Refusal ? error.message : 'The response was cut off. No file was saved.';
    show({ isRunning: false, failure });
    announceEnd(failure, 'failed');
  }
}

async function readPlants(filter: PlantFilter, format: ExportFormat, signal: AbortSignal): Promise<Blob> {
  const { head, write } = await writers[format](signal);
  const pieces: Blob[] = [];
  let text = head;
  let plants = 0;
  for await (const lines of readLines(filter, signal)) {
    text += lines.map(write).join('');
    plants += lines.length;
    show({ plants });
    if (text.length < PIECE_LENGTH) continue;
    pieces.push(new Blob([text]));
    text = '';
  }
  return new Blob([...pieces, text]);
}

/** Plants as lines of JSON: all from one snapshot, or those of a filter page by page. */
async function* readLines(filter: PlantFilter, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  if (Object.keys(filter).length === 0) yield* exportedLines(signal);
  else for await (const plants of allPlants(filter, signal)) yield plants.map((plant) => writeJson(plant));
}

/** The head of a file, and the format of its lines. */
const writers = {
  ndjson: async () => ({ head: '', write: (line: string) => `${line}\n` }),
  csv: async (signal: AbortSignal) => {
    const fields = await readFields(signal);
    // Spreadsheets need a byte order mark to detect UTF-8.
    return {
      head: `\ufeff${writeRow(Object.keys(fields), SEPARATOR)}\n`,
      write: (line: string) => `${writeRow(rowOf(line, fields), SEPARATOR)}\n`,
    };
  },
};

function show(change: Partial<ExportProgress>): void {
  currentExport.value = { ...currentExport.value, ...change };
}
