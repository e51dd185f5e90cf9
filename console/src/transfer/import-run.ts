import { Signal } from '@preact/signals';
import { parseJson } from '../exact-json.ts';
import type { ImportResult } from '../../../clients/typescript/src/contract.ts';
import { clear, linesOf, pause, Refusal, send } from '../service/connection.ts';
import { batchPlants } from '../service/plants.ts';
import { number, plantCount, plural } from '../texts.ts';
import { activity, announceEnd, whileBusy } from './background.ts';
import type { FileRecord, Refused, Source } from './source.ts';

/** Records per request: browsers read a response only after sending the whole request. */
const PART_SIZE = 20_000;

/** Maximum plants per update. */
const BATCH_SIZE = 200;

/** Attempts without a result before the import fails. */
const ATTEMPTS = 5;

export const ENDS = {
  done: 'Import complete',
  cancelled: 'Import cancelled',
  failed: 'Import failed',
};

/** The state of an import. */
interface Progress {
  readonly state: 'running' | keyof typeof ENDS;
  /** Estimated milliseconds left; undefined before the first result. */
  readonly left?: number | undefined;
  readonly failure?: string | undefined;
}

export function outcomeOf({ stored, updated, refusals }: Import): string {
  const change = updated > 0 ? `, ${number(updated)} updated` : '';
  return `${plantCount(stored)} imported${change}, ${plural(refusals.length, 'line')} rejected`;
}

/**
 * An import of a file, part by part.
 *
 * If a response breaks off, the next part begins with the first record without a result. The service may have stored it
 * already; identical lines succeed.
 */
export class Import {
  /** Changes with each of the numbers below. */
  readonly progress = new Signal<Progress>({ state: 'running' });
  /** Lines that have a result. */
  answered = 0;
  stored = 0;
  updated = 0;
  refusals: Refused[];
  private begin = { at: 0, answered: 0 };
  private controller = new AbortController();

  /** @param isUpdating whether to update existing plants. */
  constructor(
    readonly source: Source,
    private readonly isUpdating: boolean,
  ) {
    this.refusals = [...source.refused];
  }

  /** Imports the remaining records. */
  async run(): Promise<void> {
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.begin = { at: performance.now(), answered: this.answered };
    this.show({ state: 'running', failure: undefined });
    try {
      await whileBusy(async () => {
        await this.sendParts(signal);
        if (this.isUpdating) await this.update(signal);
      });
      this.end('done');
    } catch (error) {
      if (!signal.aborted) return this.end('failed', (error as Error).message);
      this.show({ state: 'cancelled' });
    }
  }

  /** Stops the import. Stored plants stay. */
  cancel(): void {
    this.controller.abort();
  }

  /** The rejected lines, as a file to correct and import. */
  refusalsFile(): Blob {
    const { refusalsHead, toRefusal } = this.source;
    return new Blob([refusalsHead, ...this.refusals.map(toRefusal)]);
  }

  private end(state: 'done' | 'failed', failure?: string): void {
    this.show({ state, failure });
    announceEnd(`${ENDS[state]}. ${outcomeOf(this)}`, state);
  }

  private async sendParts(signal: AbortSignal): Promise<void> {
    const { records } = this.source;
    let failures = 0;
    while (this.answered < records.length) {
      const start = this.answered;
      try {
        await this.sendPart(records.slice(start, start + PART_SIZE), signal);
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        failures = this.answered > start ? 1 : failures + 1;
        await pauseAfter(error, failures, signal);
      }
    }
  }

  /**
   * Sends a part and counts its results.
   *
   * @throws Refusal if the service refuses the part, or was unavailable at a record; Error if a record has no result.
   */
  private async sendPart(part: readonly FileRecord[], signal: AbortSignal): Promise<void> {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const text = part.map(({ cells }) => `${this.source.toJson(cells)}\n`).join('');
    const response = await send('POST', 'plants/import', { headers, text, signal });
    const answers = part.values();
    for await (const lines of linesOf(response)) {
      for (const json of lines) {
        const { status, error = 0, message = '' } = JSON.parse(json) as ImportResult;
        if (status === 503) throw new Refusal(status, message);
        const { value: record } = answers.next();
        this.answered += 1;
        if (status === 200) this.stored += 1;
        else if (record) this.refusals.push({ ...record, status, error, message });
      }
      this.show();
    }
    if (!answers.next().done) throw new Error('The answer ended before its last line.');
  }

  /** Updates existing plants. Fields without a cell stay. */
  private async update(signal: AbortSignal): Promise<void> {
    const taken = this.refusals.filter(({ status }) => status === 409);
    for (let start = 0; start < taken.length; start += BATCH_SIZE)
      await this.patch(taken.slice(start, start + BATCH_SIZE), signal);
  }

  /** Updates all rows at once; in halves if the service refuses one. */
  private async patch(rows: readonly Refused[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const operations = rows.map(({ cells }) => {
      const { id, ...body } = parseJson(this.source.toJson(cells)) as { id: bigint };
      return { kind: 'patch', id, body, ifMatch: '*' };
    });
    try {
      await batchPlants(operations);
      this.updated += rows.length;
      this.refusals = this.refusals.filter((refusal) => !rows.includes(refusal));
    } catch (error) {
      if (!(error instanceof Refusal) || error.status === 401 || error.status === 403) throw error;
      const half = Math.ceil(rows.length / 2);
      if (rows.length > 1) {
        await this.patch(rows.slice(0, half), signal);
        await this.patch(rows.slice(half), signal);
      }
    }
    this.show();
  }

  private show(change: Partial<Progress> = {}): void {
    const pace = (performance.now() - this.begin.at) / (this.answered - this.begin.answered);
    const left = Number.isFinite(pace) ? pace * (this.source.records.length - this.answered) : undefined;
    this.progress.value = { ...this.progress.value, left, ...change };
    const { state } = this.progress.value;
    activity.value = state === 'running' ? percentOf(this) : undefined;
  }
}

/** The percentage of lines with a result. */
export function percentOf({ source, answered }: Import): string {
  return `${Math.floor((answered / (source.records.length || 1)) * 100)} %`;
}

/** The current import. It continues while the user is in another view. */
export const currentImport = new Signal<Import | undefined>(undefined);

export function startImport(source: Source, isUpdating: boolean): void {
  currentImport.value = new Import(source, isUpdating);
  void currentImport.value.run();
}

/** Waits before the next attempt. @throws Error after the last one. */
async function pauseAfter(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const isRefused = error instanceof Refusal;
  if (isRefused && error.status !== 503) throw error;
  const message = isRefused ? error.message : 'The response was cut off.';
  if (failures === ATTEMPTS) throw new Error(message, { cause: error });
  clear(await pause(message, 2 ** (failures - 1) * 1000, signal));
}
