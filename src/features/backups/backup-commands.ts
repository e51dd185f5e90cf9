import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backUp } from './back-up.js';
import { restore } from './restore.js';
import { Settings } from '../../kernel/config/settings.js';
import type { CommandLine } from '../../kernel/cli/command-line.js';

/** `plant-store backup` and `plant-store restore`: copy a SQLite store as a whole. */
export function addBackupCommands(program: Command, commandLine: CommandLine): void {
  const { stdout } = commandLine.terminal;
  const storePath = () => {
    const { database } = commandLine.configure().get(Settings);
    if (database.type === 'sqlite') return database.path;
    throw new Error(
      'This command copies a SQLite file. For a Citus cluster there are restore points: see docs/scaling.md. For PostgreSQL there are pg_dump and pg_restore: see docs/backup.md.',
    );
  };
  program
    .command('backup')
    .description('Copy the store to a file, as it is at this moment, and check the copy; services go on.')
    .argument('<file>', 'the file to make')
    .action(async (file: string) => {
      const bytes = await backUp(storePath(), resolve(file));
      stdout.write(`Backed up to ${resolve(file)} (${bytes} bytes).\n`);
    });
  program
    .command('restore')
    .description(
      'Put a backup in the place of the store, after checking it. No service may run on the store.',
    )
    .argument('<file>', 'the backup; it stays as it is')
    .option('--overwrite', 'replace a store that exists')
    .action(async (file: string, options: { readonly overwrite?: true }) => {
      const path = storePath();
      await restore(resolve(file), path, options);
      stdout.write(`Restored ${resolve(file)} to ${path}.\n`);
    });
}
