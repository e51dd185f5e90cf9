import { type ProcessOptions, run } from './running-process.js';
import { temporaryFolder } from './temporary-folder.js';

/** What a command did. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `plant-store` on a database, with `input` as its standard input. */
export async function plantStore(
  database: { readonly url: string },
  args: readonly string[],
  input = '',
  options: ProcessOptions = {},
): Promise<CommandResult> {
  const environment = { DATABASE_URL: database.url };
  const command = run('cli/plant-store.js', args, temporaryFolder(), environment, options);
  command.child.stdin.end(input);
  return { code: await command.exited, stdout: command.stdout(), stderr: command.stderr() };
}
