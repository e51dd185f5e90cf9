import type { Readable, Writable } from 'node:stream';

/** What a command reads and writes, as a process has it. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
}
