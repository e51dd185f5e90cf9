import { run } from './running-process.js';
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
): Promise<CommandResult> {
  const command = run('cli/plant-store.js', args, temporaryFolder(), { DATABASE_URL: database.url });
  command.child.stdin.end(input);
  return { code: await command.exited, stdout: command.stdout(), stderr: command.stderr() };
}
