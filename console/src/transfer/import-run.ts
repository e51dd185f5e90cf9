import { Signal } from '@preact/signals';
import { parseJson } from '../exact-json.ts';
import type { ImportResult } from '../../../clients/typescript/src/contract.ts';
import { clear, linesOf, pause, Refusal, send } from '../service/connection.ts';
import { batchPlants } from '../service/plants.ts';
import { number, plantCount, plural } from '../texts.ts';
import { activity, announceEnd, whileBusy } from './background.ts';
import type { FileRecord, Refused, Source } from './source.ts';

/** Records of a request: a browser reads no answer before it has sent all of it. */
const PART_SIZE = 20_000;

/** Plants that a request updates at most. */
const BATCH_SIZE = 200;

/** How often a part is sent of which no record is answered. */
const ATTEMPTS = 5;

export const ENDS = {
  done: 'Import complete',
  cancelled: 'Import cancelled',
  failed: 'Import failed',
};

/** How far an import is. */
interface Progress {
  readonly state: 'running' | keyof typeof ENDS;
  readonly answered: number;
  readonly stored: number;
  readonly updated: number;
  readonly refused: number;
  /** Milliseconds that are left, by the pace of this run; undefined while nobody can tell. */
  readonly left?: number | undefined;
  readonly failure?: string | undefined;
}

export function outcomeOf({ stored, updated, refused }: Progress): string {
  const change = updated > 0 ? `, ${number(updated)} updated` : '';
  return `${plantCount(stored)} imported${change}, ${plural(refused, 'line')} rejected`;
}

/**
 * An import of a file, part by part.
 *
 * A record counts when it is answered. When an answer breaks off, the next part begins with the first record that has none;
 * what the service has stored of that is there already, and fine.
 */
export class Import {
  readonly progress = new Signal<Progress>({
    state: 'running',
    answered: 0,
    stored: 0,
    updated: 0,
    refused: 0,
  });
  refusals: Refused[];
  private answered = 0;
  private updated = 0;
  private stored = 0;
  private begin = { at: 0, answered: 0 };
  private controller = new AbortController();

  /** @param isUpdating whether plants that exist get what the file says of them. */
  constructor(
    readonly source: Source,
    private readonly isUpdating: boolean,
  ) {
    this.refusals = [...source.refused];
  }

  /** Imports what is left. */
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

  /** Stops it. What is stored stays stored. */
  cancel(): void {
    this.controller.abort();
  }

  /** All refusals, as a file that can be corrected and imported. */
  refusalsFile(): Blob {
    const { refusalsHead, toRefusal } = this.source;
    return new Blob([refusalsHead, ...this.refusals.map(toRefusal)]);
  }

  private end(state: 'done' | 'failed', failure?: string): void {
    this.show({ state, failure });
    announceEnd(`${ENDS[state]}. ${outcomeOf(this.progress.value)}`, state);
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
   * Sends a part and counts what is answered.
   *
   * @throws Refusal when the service takes no part, or was away at a record; Error when a record has no answer.
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

  /** Gives plants that exist the members that the file has of them; those without a cell stay. */
  private async update(signal: AbortSignal): Promise<void> {
    const taken = this.refusals.filter(({ status }) => status === 409);
    for (let start = 0; start < taken.length; start += BATCH_SIZE)
      await this.patch(taken.slice(start, start + BATCH_SIZE), signal);
  }

  /** All at once; in halves where the service refuses one of them. */
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
    const { answered, stored, updated, refusals } = this;
    const counts = { answered, stored, updated, refused: refusals.length };
    const pace = (performance.now() - this.begin.at) / (answered - this.begin.answered);
    const left = Number.isFinite(pace) ? pace * (this.source.records.length - answered) : undefined;
    this.progress.value = { ...this.progress.value, ...counts, left, ...change };
    const { state } = this.progress.value;
    activity.value = state === 'running' ? percentOf(this) : undefined;
  }
}

/** How much of an import is done. */
export function percentOf({ source, progress }: Import): string {
  return `${Math.floor((progress.value.answered / (source.records.length || 1)) * 100)} %`;
}

/** The import of this page. It goes on while the user is elsewhere. */
export const currentImport = new Signal<Import | undefined>(undefined);

/** Begins to import a file. */
export function startImport(source: Source, isUpdating: boolean): void {
  currentImport.value = new Import(source, isUpdating);
  void currentImport.value.run();
}

/** Waits before the next attempt. @throws Error when there is none. */
async function pauseAfter(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const isRefused = error instanceof Refusal;
  if (isRefused && error.status !== 503) throw error;
  const message = isRefused ? error.message : 'The response was cut off.';
  if (failures === ATTEMPTS) throw new Error(message, { cause: error });
  clear(await pause(message, 2 ** (failures - 1) * 1000, signal));
}
