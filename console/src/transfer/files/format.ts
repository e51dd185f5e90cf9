import type { FileRecord } from './parts.ts';

/** What a part of a file is for the service. */
export interface Batch {
  /** One NewPlant a line. */
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** Of which record each line of it was made; a record without content is no plant. */
  readonly records: readonly FileRecord[];
}

/** A line that the service did not take. */
export interface Refused {
  /** Its number in the file. */
  readonly line: number;
  readonly status: number;
  readonly error: number;
  readonly message: string;
  readonly text: string;
}

/** How plants are written in a file. */
export interface Format {
  /** As a person calls it. */
  readonly name: string;
  /** What separates cells, if any. */
  readonly separator?: string;
  readonly toBatch: (records: readonly FileRecord[], bytes: Uint8Array<ArrayBuffer>) => Batch;
  /** What a file of refusals begins with. */
  readonly refusalsHead: string;
  /** A refusal as a line of the same format, which can be corrected and imported again. */
  readonly toRefusal: (refused: Refused) => string;
}
