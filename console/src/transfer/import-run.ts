import { Signal } from '@preact/signals';
import type { ImportResult } from '../../../clients/typescript/src/contract.ts';
import { linesOf } from '../service/chunks.ts';
import { pause, Refusal, send } from '../service/connection.ts';
import { texts } from '../texts.ts';
import { activity, announceEnd, whileBusy } from './background.ts';
import type { Batch, Refused } from './files/formats.ts';
import { type FileRecord, type Part, type Place, readPart } from './files/parts.ts';
import type { Source } from './files/source.ts';
import { type Mark, withMark } from './pace.ts';

/** How often a part is sent of which no line is answered. */
const ATTEMPTS = 5;

/** Refusals that are shown. */
const SHOWN_REFUSALS = 20;

/** How far an import is. */
export interface Progress {
  readonly state: 'running' | 'cancelled' | 'failed' | 'done';
  readonly stored: number;
  readonly refused: number;
  /** The first refusals. */
  readonly refusals: readonly Refused[];
  /** Of the file. */
  readonly bytes: number;
  /** How far it was, second by second. */
  readonly marks: readonly Mark[];
  /** Why it has failed. */
  readonly failure?: string | undefined;
}

/**
 * An import of a file, part by part: a browser reads no answer before it has sent the whole request, and the service stops
 * reading when nobody takes its answers.
 *
 * A line counts when it is answered. When an answer breaks off, the next part begins with the first line that has none; what
 * the service has stored of that is there already, and fine.
 */
export class Import {
  readonly progress = new Signal<Progress>({
    state: 'running',
    stored: 0,
    refused: 0,
    refusals: [],
    bytes: 0,
    marks: [],
  });
  private readonly refusals: Blob[] = [];
  private place: Place;
  private controller = new AbortController();

  constructor(readonly source: Source) {
    this.place = source.start;
  }

  /** Imports what is left. */
  async run(): Promise<void> {
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.show({ state: 'running', failure: undefined, marks: [] });
    this.count(0, [], this.place);
    try {
      await whileBusy(() => this.sendParts(signal));
      this.end('done');
    } catch (error) {
      if (!signal.aborted) return this.end('failed', (error as Error).message);
      this.show({ state: 'cancelled' });
      activity.value = undefined;
    }
  }

  /** Stops it. What is stored stays stored. */
  cancel(): void {
    this.controller.abort();
  }

  /** All refusals, as a file that can be corrected and imported. */
  refusalsFile(): Blob {
    return new Blob([this.source.format.refusalsHead, ...this.refusals]);
  }

  private end(state: 'done' | 'failed', failure?: string): void {
    this.show({ state, failure });
    const { stored, refused } = this.progress.value;
    announceEnd(`${texts.transfer.ends[state]}. ${texts.transfer.outcome(stored, refused)}`, state);
  }

  private async sendParts(signal: AbortSignal): Promise<void> {
    let failures = 0;
    for (;;) {
      const start = this.place;
      const part = await readPart(this.source.file, start, this.source.format);
      if (part === undefined) return;
      const batch = this.source.format.toBatch(part.records, part.bytes);
      try {
        await this.sendPart(part, batch, signal);
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        failures = this.place.offset > start.offset ? 1 : failures + 1;
        await pauseAfter(error, failures, signal);
      }
    }
  }

  /**
   * Sends a part and counts what is answered.
   *
   * @throws Refusal when the service takes no part, or was away at a line; Error when a line has no answer.
   */
  private async sendPart(part: Part, { body, records }: Batch, signal: AbortSignal): Promise<void> {
    const start = this.place;
    // Empty lines have no answer.
    const last = records.findLastIndex(({ content }) => content.length > 0) + 1;
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const sent = last > 0 ? await send('POST', 'plants/import', { headers, text: body, signal }) : undefined;
    let answered = 0;
    let away: Refusal | undefined;
    for await (const lines of linesOf(sent?.body ?? null)) {
      let stored = 0;
      const refused: Refused[] = [];
      for (const json of lines) {
        const { line, status, error = 0, message = '' } = JSON.parse(json) as ImportResultJson;
        if (status === 503) away ??= new Refusal(status, message);
        if (away) continue;
        answered = line;
        const record = records[line - 1];
        if (status === 200) stored += 1;
        // An empty line may have the second half of a line break, which is no plant either.
        else if (record && record.content.length > 0)
          refused.push({ line: record.line, status, error, message, text: decoder.decode(record.content) });
      }
      this.count(stored, refused, placeOf(records[answered], part, start));
    }
    if (away) throw away;
    if (answered < last) throw new Error('The answer ended before its last line.');
    this.place = part.next;
  }

  /** Counts some more answers, which lead to a place. */
  private count(stored: number, refused: readonly Refused[], place: Place): void {
    const before = this.progress.value;
    const all = { stored: before.stored + stored, refused: before.refused + refused.length };
    const mark = { at: performance.now(), lines: all.stored + all.refused, bytes: place.offset };
    this.place = place;
    if (refused.length > 0) this.refusals.push(new Blob(refused.map(this.source.format.toRefusal)));
    activity.value = texts.percent(place.offset / this.source.file.size);
    this.show({
      ...all,
      refusals: [...before.refusals, ...refused].slice(0, SHOWN_REFUSALS),
      bytes: place.offset,
      marks: withMark(before.marks, mark),
    });
  }

  private show(change: Partial<Progress>): void {
    this.progress.value = { ...this.progress.value, ...change };
  }
}

/** The import of this page. It goes on while the user is elsewhere. */
export const currentImport = new Signal<Import | undefined>(undefined);

/** Begins to import a file. */
export function startImport(source: Source): void {
  currentImport.value = new Import(source);
  void currentImport.value.run();
}

const decoder = new TextDecoder();

/** A result of JSON, whose line is a number. */
type ImportResultJson = Omit<ImportResult, 'line'> & { readonly line: number };

/** Where a record of a part begins, or what follows the part. */
function placeOf(record: FileRecord | undefined, { bytes, next }: Part, start: Place): Place {
  if (record === undefined) return next;
  return { offset: start.offset + record.content.byteOffset - bytes.byteOffset, line: record.line };
}

/** Waits before the next attempt. @throws Error when there is none. */
async function pauseAfter(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const isRefused = error instanceof Refusal;
  if (isRefused && error.status !== 503) throw error;
  const message = isRefused ? error.message : texts.transfer.brokeOff;
  if (failures === ATTEMPTS) throw new Error(message, { cause: error });
  await pause(message, 2 ** (failures - 1) * 1000, signal);
}
