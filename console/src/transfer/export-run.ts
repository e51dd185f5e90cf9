import { chunksOf } from '../service/chunks.ts';
import { Refusal, send } from '../service/connection.ts';
import { texts } from '../texts.ts';
import { Observable } from '../ui/observable.ts';
import { saveFile } from '../ui/save-file.ts';
import { whileBusy } from '../ui/while-busy.ts';

/** Bytes that are handed to the browser at a time, which keeps them outside of the page's memory. */
const PIECE_BYTES = 4 * 2 ** 20;

const NEWLINE = 0x0a;

/** How far an export is. */
export interface ExportProgress {
  readonly state: 'new' | 'running' | 'cancelled' | 'failed' | 'done';
  readonly plants: number;
  readonly bytes: number;
  /** Why it has failed. */
  readonly failure?: string;
}

/** The export of this page. It goes on while the user is elsewhere. */
export const currentExport = new Observable<ExportProgress>({ state: 'new', plants: 0, bytes: 0 });

let controller: AbortController;

/** Reads all plants and saves them, exactly as they come; an answer that breaks off saves nothing. */
export async function startExport(): Promise<void> {
  controller = new AbortController();
  const { signal } = controller;
  currentExport.value = { state: 'running', plants: 0, bytes: 0 };
  try {
    saveFile(await whileBusy(() => readPlants(signal)), 'plants.ndjson');
    show({ state: 'done' });
  } catch (error) {
    if (signal.aborted) show({ state: 'cancelled' });
    else
      show({
        state: 'failed',
        failure: error instanceof Refusal ? error.message : texts.transfer.exportBrokeOff,
      });
  }
}

/** Stops the export. Nothing is saved. */
export function cancelExport(): void {
  controller.abort();
}

async function readPlants(signal: AbortSignal): Promise<Blob> {
  const response = await send('GET', 'plants/export', { signal });
  const pieces: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let bytes = 0;
  let plants = 0;
  for await (const chunk of chunksOf(response.body)) {
    chunks.push(chunk);
    length += chunk.length;
    bytes += chunk.length;
    for (const byte of chunk) if (byte === NEWLINE) plants += 1;
    show({ plants, bytes });
    if (length < PIECE_BYTES) continue;
    pieces.push(new Blob(chunks));
    chunks = [];
    length = 0;
  }
  return new Blob([...pieces, ...chunks], { type: 'application/x-ndjson' });
}

function show(change: Partial<ExportProgress>): void {
  currentExport.value = { ...currentExport.value, ...change };
}
