import { resolve } from 'node:path';
import type { Command } from 'commander';
import { FEATURES } from '../app.module.js';
import { type Backup, backUp } from '../backup/back-up.js';
import { restore } from '../backup/restore.js';
import { readSettings } from '../config/environment.js';
import type { SqliteSettings } from '../config/settings.js';
import type { Terminal } from './terminal.js';

interface Options {
  readonly overwrite?: true;
  readonly json?: true;
}

/** `plant-store backup` and `plant-store restore`: copy a SQLite store as a whole. */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command('backup')
    .description('Copy the store to a file, as it is at this moment, and check the copy; services go on.')
    .argument('<file>', 'the file to write')
    .option('--overwrite', 'replace a file that is there')
    .option('--json', 'write JSON')
    .action((path: string, { overwrite, json }: Options) =>
      copy(terminal, json, 'Backed up', (database) => backUp(database.path, resolve(path), { overwrite })),
    );
  program
    .command('restore')
    .description(
      'Put a backup in the place of the store, after checking it. No service may run on the store.',
    )
    .argument('<file>', 'the backup; it stays as it is')
    .option('--overwrite', 'replace a store that is there')
    .option('--json', 'write JSON')
    .action((path: string, { overwrite, json }: Options) =>
      copy(terminal, json, 'Restored', (database) => restore(resolve(path), database.path, { overwrite })),
    );
}

async function copy(
  { env, stdout }: Terminal,
  json: true | undefined,
  done: string,
  work: (database: SqliteSettings) => Promise<Backup>,
): Promise<void> {
  const { database } = readSettings(env);
  if (database.type === 'postgres')
    throw new Error(
      'This command copies a SQLite file. For PostgreSQL there are pg_dump and pg_restore: see docs/operations.md.',
    );
  const { file, bytes, sha256, rows } = await work(database);
  const counts = FEATURES.filter(({ resource }) => resource).map(
    ({ tag: { name } }) => [name, rows[name] ?? 0] as const,
  );
  const text = json
    ? JSON.stringify({ file, bytes, sha256, ...Object.fromEntries(counts) }, null, 2)
    : `${done} ${counts.map(([name, count]) => `${count} ${name}`).join(', ')} to ${file} (${bytes} bytes, SHA-256 ${sha256}).`;
  stdout.write(`${text}\n`);
}
