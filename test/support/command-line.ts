import { Readable, Writable } from 'node:stream';
import { runCommand } from '../../src/kernel/cli/run-command.js';

/** What a command did. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `plant-store` on a database, with `input` as its standard input and settings of its own. */
export async function plantStore(
  database: { readonly url: string },
  args: readonly string[],
  input: string | Readable = '',
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const terminal = {
    stdin: typeof input === 'string' ? Readable.from(Buffer.from(input)) : input,
    stdout,
    stderr,
    env: { DATABASE_URL: database.url, ...environment },
  };
  const code = await runCommand(args, terminal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Keeps what is written to it. */
class Collector extends Writable {
  private readonly pieces: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(piece);
    done();
  }
}
