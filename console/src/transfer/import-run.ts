import type { ImportResult } from '../../../examples/typescript-client/generated/types.gen.ts';
import { linesOf } from '../service/chunks.ts';
import { pause, Refusal, send } from '../service/connection.ts';
import { texts } from '../texts.ts';
import { Observable } from '../ui/observable.ts';
import { whileBusy } from '../ui/while-busy.ts';
import type { Batch, Refused } from './files/format.ts';
import { type FileRecord, type Part, type Place, readPart } from './files/parts.ts';
import type { Source } from './files/source.ts';

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
  /** Why it has failed. */
  readonly failure?: string;
}

/** What the service has answered to the lines of a part so far. */
interface Answers {
  /** How many lines that was, from the first one on. */
  lines: number;
  stored: number;
  readonly refused: Refused[];
}

/**
 * An import of a file, part by part: a browser reads no answer before it has sent the whole request, and the service stops
 * reading when nobody takes its answers.
 *
 * A line counts when it is answered. When an answer breaks off, the next part begins with the first line that has none; what
 * the service has stored of that is there already, and fine.
 */
export class Import {
  readonly progress: Observable<Progress>;
  private done = { stored: 0, refused: 0, refusals: [] as readonly Refused[] };
  private readonly refusals: Blob[] = [];
  private place: Place;
  private controller = new AbortController();

  constructor(readonly source: Source) {
    this.place = source.start;
    this.progress = new Observable<Progress>({ ...this.done, state: 'running', bytes: 0 });
  }

  /** Imports what is left. */
  async run(): Promise<void> {
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.show('running');
    try {
      await whileBusy(() => this.sendParts(signal));
      this.show('done');
    } catch (error) {
      if (signal.aborted) this.show('cancelled');
      else this.show('failed', { failure: (error as Error).message });
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

  private async sendParts(signal: AbortSignal): Promise<void> {
    const { file, format } = this.source;
    let failures = 0;
    for (;;) {
      const part = await readPart(file, this.place, format);
      if (part === undefined) return;
      const batch = format.toBatch(part.records, part.bytes);
      const answers: Answers = { lines: 0, stored: 0, refused: [] };
      try {
        await sendBatch(batch, answers, signal, () => this.showAnswers(part, batch, answers));
        this.count(answers, part.next);
        failures = 0;
      } catch (error) {
        this.count(answers, placeOf(batch.records[answers.lines], part, this.place));
        signal.throwIfAborted();
        failures = answers.lines > 0 ? 1 : failures + 1;
        await pauseAfter(error, failures, signal);
      }
    }
  }

  private count({ stored, refused }: Answers, next: Place): void {
    this.done = this.with(stored, refused);
    this.place = next;
    if (refused.length > 0) this.refusals.push(new Blob(refused.map(this.source.format.toRefusal)));
  }

  /** Everything that counts, and some more. */
  private with(
    stored: number,
    refused: readonly Refused[],
  ): Pick<Progress, 'stored' | 'refused' | 'refusals'> {
    return {
      stored: this.done.stored + stored,
      refused: this.done.refused + refused.length,
      refusals: [...this.done.refusals, ...refused].slice(0, SHOWN_REFUSALS),
    };
  }

  private showAnswers(part: Part, { records }: Batch, { lines, stored, refused }: Answers): void {
    const bytes = placeOf(records[lines], part, this.place).offset;
    this.progress.value = { ...this.with(stored, refused), state: 'running', bytes };
  }

  private show(state: Progress['state'], more: Pick<Progress, 'failure'> = {}): void {
    this.progress.value = { ...this.done, state, bytes: this.place.offset, ...more };
  }
}

/** The import of this page. It goes on while the user is elsewhere. */
export const currentImport = new Observable<Import | undefined>(undefined);

/** Begins to import a file. */
export function startImport(source: Source): void {
  currentImport.value = new Import(source);
  void currentImport.value.run();
}

/**
 * Sends a part and adds what is answered.
 *
 * @throws Refusal when the service takes no part, or was away at a line; Error when a line has no answer.
 */
async function sendBatch(
  { body, records }: Batch,
  answers: Answers,
  signal: AbortSignal,
  onAnswers: () => void,
): Promise<void> {
  // Empty lines have no answer.
  const last = records.findLastIndex(({ content }) => content.length > 0) + 1;
  if (last === 0) return;
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const response = await send('POST', 'plants/import', { headers, text: body, signal });
  let away: Refusal | undefined;
  for await (const results of linesOf(response.body)) {
    for (const text of results) away ??= add(JSON.parse(text) as ImportResultJson, records, answers);
    if (answers.lines > 0) onAnswers();
  }
  if (away) throw away;
  if (answers.lines < last) throw new Error('The answer ended before its last line.');
}

/** Adds what became of a line, unless the service was away. */
function add(
  { line, status, error = 0, message = '' }: ImportResultJson,
  records: Batch['records'],
  answers: Answers,
): Refusal | undefined {
  if (status === 503) return new Refusal(status, message);
  answers.lines = line;
  const record = records[line - 1];
  if (status === 200) answers.stored += 1;
  // An empty line may have the second half of a line break, which is no plant either.
  else if (record && record.content.length > 0)
    answers.refused.push({ line: record.line, status, error, message, text: decoder.decode(record.content) });
  return undefined;
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
