import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DataSource, type ObjectLiteral } from 'typeorm';
import { FEATURES } from '../app.module.js';
import { ErrorValue } from '../errors/error-value.js';
import type { Collection } from '../resource/collection.js';
import { collectionToken } from '../resource/resource.module.js';
import { Transfers } from '../resource/transfer/transfers.js';
import type { Key } from '../store/table.js';
import { parseInt64 } from '../validation/decorators.js';
import { startProgress } from './progress.js';
import type { Terminal } from './terminal.js';
import { withStore } from './with-store.js';

/** Bytes that are read at once. */
const CHUNK_BYTES = 65_536;

/** What can be moved, by the name of its table. */
const RESOURCES = new Map(
  FEATURES.flatMap(({ resource, tag }) => (resource === undefined ? [] : [[tag.name, resource] as const])),
);

interface Options {
  readonly of: string;
}

interface ExportOptions extends Options {
  readonly output?: string;
  readonly after?: string;
}

interface ImportOptions extends Options {
  readonly fromLine: number;
}

/** `plant-store export` and `plant-store import`: move plants between stores, as one JSON object a line (NDJSON). */
export function addTransferCommands(program: Command, terminal: Terminal): void {
  const names = [...RESOURCES.keys()];
  const of = () => new Option('--of <resource>', 'what to move').choices(names).default('plants');
  program
    .command('export')
    .description('Write every plant as a line of JSON, in ascending id, as the store is at this moment.')
    .addOption(of())
    .option('--output <file>', 'write to a file (default: standard output)')
    .option('--after <id>', 'only those with a greater id: goes on with an export that broke off')
    .action((options: ExportOptions, command: Command) => exportAll(options, command, terminal));
  program
    .command('import')
    .description(
      'Store the plants of a file, one JSON object a line; those that are there already are left alone.',
    )
    .addOption(of())
    .argument('[file]', 'the file (default: standard input)')
    .option('--from-line <number>', 'skip what comes before this line', parseLineNumber, 1)
    .action((path: string | undefined, options: ImportOptions) => importAll(path, options, terminal));
}

async function exportAll(
  { of, output, after }: ExportOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  await withStore(terminal, 'existing', async (store) => {
    const collection = collectionOf(store, of);
    const key = keyOf(collection, after, command);
    const file = output === undefined ? undefined : await openFile(output, 'w', 'folder');
    const progress = startProgress(
      terminal,
      await store.get(DataSource).getRepository(collection.resource.entity).count(),
    );
    let count = 0;
    const texts = async function* () {
      for await (const text of store.get(Transfers).export(collection, key)) {
        yield text;
        count += text.split('\n').length - 1;
        progress.update(count, count);
      }
    };
    try {
      if (file === undefined) await pipeline(texts, terminal.stdout, { end: false });
      else await pipeline(texts, file.createWriteStream());
    } catch (error) {
      throw new Error(`${reasonOf(error)} To go on, export --after the id of the last whole line.`, {
        cause: error,
      });
    } finally {
      progress.stop();
    }
    report(terminal, `Exported ${count} ${of}.`);
  });
}

async function importAll(
  path: string | undefined,
  { of, fromLine }: ImportOptions,
  terminal: Terminal,
): Promise<void> {
  await withStore(terminal, 'new', async (store) => {
    const file = path === undefined ? undefined : await openFile(path, 'r', 'file');
    const source = file?.createReadStream({ highWaterMark: CHUNK_BYTES }) ?? terminal.stdin;
    const progress = startProgress(terminal, (await file?.stat())?.size);
    let [stored, refused, bytes, nextLine] = [0, 0, 0, fromLine];
    let isInterrupted = false;
    const interrupt = () => (isInterrupted = true);
    process.once('SIGINT', interrupt);
    const counts = () => `Imported ${stored} ${of}; ${refused} lines were refused.`;
    try {
      const chunks = counted(source, (length) => (bytes += length));
      for await (const results of store
        .get(Transfers)
        .import(collectionOf(store, of), chunks, { firstLine: fromLine })) {
        for (const { line, error, message } of results) {
          if (error === ErrorValue.Unavailable) throw new Error(message);
          if (error !== undefined) report(terminal, `Line ${line}: ${message}`);
          if (error === undefined) stored += 1;
          else refused += 1;
          nextLine = line + 1;
        }
        progress.update(bytes, stored);
        if (isInterrupted) throw new Error('Interrupted.');
      }
    } catch (error) {
      throw new Error(`${reasonOf(error)} ${counts()} Go on with --from-line ${nextLine}.`, { cause: error });
    } finally {
      process.off('SIGINT', interrupt);
      progress.stop();
    }
    report(terminal, counts());
    if (refused > 0) throw new Error('Not every line could be imported.');
  });
}

function collectionOf(store: INestApplicationContext, name: string): Collection<ObjectLiteral> {
  const resource = RESOURCES.get(name);
  if (resource === undefined) throw new Error(`There are no ${name}.`);
  return store.get<Collection<ObjectLiteral>>(collectionToken(resource.entity), { strict: false });
}

async function openFile(path: string, flags: string, kind: string): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`The ${kind} ${kind === 'folder' ? dirname(path) : path} does not exist.`, {
      cause: error,
    });
  }
}

async function* counted(
  source: AsyncIterable<Buffer>,
  count: (length: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    count(chunk.length);
    yield chunk;
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.endsWith('.') ? message : `${message}.`;
}

/** Standard output belongs to the resources. */
function report({ stderr }: Terminal, text: string): void {
  stderr.write(`${text}\n`);
}

function keyOf(
  { table }: Collection<ObjectLiteral>,
  text: string | undefined,
  command: Command,
): Key | undefined {
  if (text === undefined || table.key.type === 'TEXT') return text;
  return (
    parseInt64(text) ??
    command.error("error: option '--after <id>' is invalid: it must be an id of the resource.", {
      exitCode: 2,
    })
  );
}

function parseLineNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a line, from 1.');
}
