import { Signal } from '@preact/signals';
import { writeJson } from '../exact-json.ts';
import { linesOf } from '../service/chunks.ts';
import { Refusal, send } from '../service/connection.ts';
import { allPlants, type PlantFilter, readFields } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { activity, announceEnd, saveFile, whileBusy } from './background.ts';
import { rowOf } from './csv.ts';

/** Characters that are handed to the browser at a time, which keeps them outside of the page's memory. */
const PIECE_LENGTH = 4 * 2 ** 20;

export type ExportFormat = 'ndjson' | 'csv';

/** How far an export is, or how it has ended. */
export interface ExportProgress {
  readonly isRunning: boolean;
  readonly plants: number;
  readonly outcome?: string;
  readonly failure?: string;
}

/** The export of this page. It goes on while the user is elsewhere. */
export const currentExport = new Signal<ExportProgress>({ isRunning: false, plants: 0 });

let controller: AbortController;

/** Reads the plants of a filter and saves them; an answer that breaks off saves nothing. */
export async function startExport(filter: PlantFilter, format: ExportFormat): Promise<void> {
  controller = new AbortController();
  const { signal } = controller;
  const { exporting, exported, exportCancelled, exportBrokeOff, size } = texts.transfer;
  currentExport.value = { isRunning: true, plants: 0 };
  activity.value = exporting;
  try {
    const file = `plants.${format}`;
    const content = await whileBusy(() => readPlants(filter, format, signal));
    saveFile(content, file);
    const outcome = exported(currentExport.value.plants, file, size(content.size));
    show({ isRunning: false, outcome });
    announceEnd(outcome, 'done');
  } catch (error) {
    if (signal.aborted) {
      show({ isRunning: false, outcome: exportCancelled });
      activity.value = undefined;
      return;
    }
    const failure = error instanceof Refusal ? error.message : exportBrokeOff;
    show({ isRunning: false, failure });
    announceEnd(failure, 'failed');
  }
}

/** Stops the export. Nothing is saved. */
export function cancelExport(): void {
  controller.abort();
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

/** Plants as lines of JSON, some at a time: all at one moment, or those of a filter page by page. */
async function* readLines(filter: PlantFilter, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  if (Object.keys(filter).length === 0) yield* linesOf((await send('GET', 'plants/export', { signal })).body);
  else for await (const plants of allPlants(filter, signal)) yield plants.map((plant) => writeJson(plant));
}

/** What a file begins with, and how a line of JSON is written in it. */
const writers = {
  ndjson: async () => ({ head: '', write: (line: string) => `${line}\n` }),
  csv: async (signal: AbortSignal) => {
    const { csvFormatRow } = await import('d3-dsv');
    const fields = await readFields(signal);
    // With a byte order mark, without which spreadsheets take it for another encoding.
    return {
      head: `\ufeff${csvFormatRow(Object.keys(fields))}\n`,
      write: (line: string) => `${csvFormatRow(rowOf(line, fields))}\n`,
    };
  },
};

function show(change: Partial<ExportProgress>): void {
  currentExport.value = { ...currentExport.value, ...change };
}
