import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DataSource, type ObjectLiteral } from 'typeorm';
import { FEATURES } from '../../app.module.js';
import { ErrorValue } from '../../errors/error-value.js';
import { stringifyExactJson } from '../../http/body/exact-json.js';
import { toApiException } from '../../http/pipeline/error.filter.js';
import type { Collection } from '../../resource/collection.js';
import { collectionToken } from '../../resource/resource.module.js';
import { exportLines, importLines, parseLine } from './transfers.js';
import { ChangeFeeds, type Followers } from '../changes/followers.js';
import { parseInt64 } from '../../validation/decorators.js';
import { type Terminal, withStore } from '../../cli/with-store.js';

/** The resources, by the names of their tables. */
const RESOURCES = new Map(
  FEATURES.flatMap(({ resource, tag }) =>
    resource === undefined || tag === undefined ? [] : [[tag.name, resource] as const],
  ),
);

interface Options {
  readonly of: string;
}

interface BringBackOptions extends Options {
  readonly change?: bigint;
  readonly overwrite?: true;
}

interface ChangesOptions extends Options {
  readonly after: bigint;
  readonly follow?: true;
}

/** `plant-store export`, `import`, `changes` and `bring-back`: plants and their changes, as one JSON object a line (NDJSON). */
export function addTransferCommands(program: Command, terminal: Terminal): void {
  const of = () =>
    new Option('--of <resource>', 'what to move').choices([...RESOURCES.keys()]).default('plants');
  program
    .command('export')
    .description('Write every plant as a line of JSON, in ascending id, as the store is at this moment.')
    .addOption(of())
    .option('--output <file>', 'write to a file (default: standard output)')
    .action((options: Options & { readonly output?: string }) => exportAll(options, terminal));
  program
    .command('import')
    .description(
      'Store the plants of a file, one JSON object a line. An import may be repeated: plants that are there already count as stored.',
    )
    .addOption(of())
    .argument('[file]', 'the file (default: standard input)')
    .action((path: string | undefined, options: Options) => importAll(path, options, terminal));
  program
    .command('changes')
    .description('Write each change that the store keeps as a line of JSON, the oldest first.')
    .addOption(of())
    .addOption(
      new Option('--after <cursor>', 'only the changes after this one')
        // Commander would write a bigint as JSON.
        .default(0n, '0')
        .argParser(asCursor),
    )
    .option('--follow', 'go on with the changes to come')
    .action((options: ChangesOptions) => writeChanges(options, terminal));
  program
    .command('bring-back')
    .description('Store a plant again as it was before its last deletion, or as another change has it.')
    .addOption(of())
    .argument('<id>', 'the id of the plant')
    .option('--change <cursor>', 'the change, as `changes` prints it (default: the last deletion)', asCursor)
    .option('--overwrite', 'replace the plant if it exists')
    .action((key: string, options: BringBackOptions) => bringBack(key, options, terminal));
}

async function exportAll(
  { of, output }: Options & { readonly output?: string },
  terminal: Terminal,
): Promise<void> {
  await withStore(terminal, 'existing', async (store) => {
    let count = 0;
    const lines = async function* () {
      for await (const text of exportLines(collectionOf(store, of))) {
        yield text;
        count += text.split('\n').length - 1;
      }
    };
    const target = output === undefined ? terminal.stdout : createWriteStream(output);
    await pipeline(lines, target, { end: output !== undefined });
    // Standard output belongs to the lines.
    terminal.stderr.write(`Exported ${count} ${of}.\n`);
  });
}

function asCursor(text: string): bigint {
  const cursor = parseInt64(text);
  if (cursor === undefined) throw new InvalidArgumentError('It must be the cursor of a change, or 0.');
  return cursor;
}

async function writeChanges({ of, after, follow }: ChangesOptions, terminal: Terminal): Promise<void> {
  await withStore(terminal, 'existing', async (store) => {
    const followers = await keptChanges(store, of);
    const lines = async function* () {
      if (!follow) {
        for await (const changes of followers.feed.read(after)) yield changes.lines;
        return;
      }
      for (;;)
        for await (const changes of followers.follow(after, new AbortController().signal))
          if (changes.count > 0) {
            yield changes.lines;
            after = changes.last;
          }
    };
    await pipeline(lines, terminal.stdout, { end: false });
  });
}

async function bringBack(
  key: string,
  { of, change, overwrite }: BringBackOptions,
  terminal: Terminal,
): Promise<void> {
  await withStore(terminal, 'existing', async (store) => {
    const collection = collectionOf(store, of);
    const { noun } = collection.table;
    const found = await (await keptChanges(store, of)).feed.find(key, change);
    if (found === undefined)
      throw new Error(
        change === undefined
          ? `The store keeps no deletion of the ${noun} ${key}. Look in a backup.`
          : `The change ${change} is not kept, or not one of the ${noun} ${key}.`,
      );
    const resource = await parseLine(collection.resource.dto, Buffer.from(found.content));
    const { [collection.table.key.property]: id } = resource as ObjectLiteral;
    try {
      if (overwrite) await collection.put(id, resource, { ifMatch: undefined, mustNotExist: false });
      else await collection.create(resource, { mayExist: true });
    } catch (thrown) {
      const { error, message } = toApiException(thrown);
      const current = error === ErrorValue.IdTaken && stringifyExactJson(await collection.find(id));
      const refusal = `The ${noun} ${key} exists: ${current}. --overwrite replaces it by ${found.content}.`;
      throw new Error(current ? refusal : message, { cause: thrown });
    }
    terminal.stdout.write(`Stored ${found.content}, as it was at ${found.at}.\n`);
  });
}

/** @throws Error when no service has kept changes in the store. */
async function keptChanges(store: INestApplicationContext, of: string): Promise<Followers> {
  const changes = store.get(ChangeFeeds, { strict: false }).get(of);
  const queries = store.get(DataSource).createQueryRunner();
  const isKept = await queries.hasTable(`${of}_changes`);
  await queries.release();
  if (isKept && changes !== undefined) return changes;
  throw new Error(
    'The store keeps no changes. A service keeps them from its first start, unless CHANGES_KEPT is 0.',
  );
}

async function importAll(path: string | undefined, { of }: Options, terminal: Terminal): Promise<void> {
  const { stdin, stderr } = terminal;
  await withStore(terminal, 'new', async (store) => {
    const source: AsyncIterable<Buffer> = path === undefined ? stdin : createReadStream(path);
    let [stored, refused] = [0, 0];
    const collection = collectionOf(store, of);
    for await (const results of importLines(collection, source, collection.resource.dto))
      for (const { line, error, message } of results) {
        if (error === ErrorValue.Unavailable)
          throw new Error(`Line ${line}: ${message} Repeat the import: what is stored counts as imported.`);
        if (error === undefined) stored += 1;
        else {
          refused += 1;
          stderr.write(`Line ${line}: ${message}\n`);
        }
      }
    stderr.write(`Imported ${stored} ${of}; ${refused} lines were refused.\n`);
    if (refused > 0) throw new Error('Not every line could be imported.');
  });
}

function collectionOf(store: INestApplicationContext, name: string): Collection<ObjectLiteral> {
  const resource = RESOURCES.get(name);
  if (resource === undefined) throw new Error(`There are no ${name}.`);
  return store
    .get<Collection<ObjectLiteral>>(collectionToken(resource.entity), { strict: false })
    .ofEveryone();
}
