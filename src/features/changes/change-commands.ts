import { pipeline } from 'node:stream/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DataSource, type ObjectLiteral } from 'typeorm';
import type { CommandLine } from '../../cli/command-line.js';
import { Settings } from '../../config/settings.js';
import { ErrorValue } from '../../errors/error-value.js';
import { parseJsonObject, stringifyExactJson } from '../../http/body/exact-json.js';
import { toApiException } from '../../http/pipeline/error.filter.js';
import type { Collection } from '../../resource/collection.js';
import type { Representation } from '../../resource/resource.js';
import { parseInt64 } from '../../validation/decorators.js';
import { DtoValidationPipe } from '../../validation/validation.pipe.js';
import { ChangeFeed } from './change-feed.js';
import { ChangesSettings } from './changes.settings.js';
import { LiveFeed } from './live-feed.js';

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

/** `plant-store changes` and `bring-back`. */
export function addChangeCommands(program: Command, commandLine: CommandLine): void {
  program
    .command('changes')
    .description('Write each change that the store keeps as a line of JSON, the oldest first.')
    .addOption(commandLine.resourceOption())
    .addOption(
      new Option('--after <cursor>', 'only the changes after this one')
        // With a description, Commander does not serialize the default as JSON, which fails for a bigint.
        .default(0n, '0')
        .argParser(asCursor),
    )
    .option('--follow', 'go on with the changes to come')
    .action((options: ChangesOptions) => writeChanges(options, commandLine));
  program
    .command('bring-back')
    .description('Store a plant again as it was before its last deletion, or as another change has it.')
    .addOption(commandLine.resourceOption())
    .argument('<id>', 'the id of the plant')
    .option('--change <cursor>', 'the change, as `changes` prints it (default: the last deletion)', asCursor)
    .option('--overwrite', 'replace the plant if it exists')
    .action((key: string, options: BringBackOptions) => bringBack(key, options, commandLine));
}

async function writeChanges({ of, after, follow }: ChangesOptions, commandLine: CommandLine): Promise<void> {
  await commandLine.withCollection('existing', of, async (collection, store) => {
    const live = await keptChanges(collection, store);
    const lines = async function* () {
      if (!follow) {
        for await (const changes of live.feed.read(after)) yield changes.signed.lines;
        return;
      }
      for (;;)
        for await (const changes of live.follow(after, new AbortController().signal))
          if (changes.count > 0) {
            yield changes.signed.lines;
            after = changes.last;
          }
    };
    await pipeline(lines, commandLine.terminal.stdout, { end: false });
  });
}

async function bringBack(
  key: string,
  { of, change, overwrite }: BringBackOptions,
  commandLine: CommandLine,
): Promise<void> {
  await commandLine.withCollection('existing', of, async (collection, store) => {
    const { noun } = collection.table;
    const found = await (await keptChanges(collection, store)).feed.find(key, change);
    if (found === undefined)
      throw new Error(
        change === undefined
          ? `The store keeps no deletion of the ${noun} ${key}. Look in a backup.`
          : `The change ${change} is not kept, or not one of the ${noun} ${key}.`,
      );
    const fields = parseJsonObject(Buffer.from(found.content), 'The change') as Record<string, unknown>;
    const as = { type: 'body', metatype: collection.resource.dto } as const;
    const resource = (await new DtoValidationPipe().transform(fields, as)) as Representation<ObjectLiteral>;
    const { [collection.table.key.property]: id } = resource;
    try {
      if (overwrite) await collection.put(id, resource, { ifMatch: undefined, mustNotExist: false });
      else await collection.create(resource, { mayExist: true });
    } catch (thrown) {
      const { error, message } = toApiException(thrown);
      const current = error === ErrorValue.IdTaken && stringifyExactJson(await collection.find(id));
      const refusal = `The ${noun} ${key} exists: ${current}. --overwrite replaces it by ${found.content}.`;
      throw new Error(current ? refusal : message, { cause: thrown });
    }
    commandLine.terminal.stdout.write(`Stored ${found.content}, as it was at ${found.at}.\n`);
  });
}

/** @throws Error when no service has kept changes in the store. */
async function keptChanges(
  { table }: Collection<ObjectLiteral>,
  store: INestApplicationContext,
): Promise<LiveFeed> {
  const dataSource = store.get(DataSource);
  const feed = new ChangeFeed(dataSource, table, store.get(Settings).database, store.get(ChangesSettings));
  const queries = dataSource.createQueryRunner();
  const isKept = await queries.hasTable(feed.name);
  await queries.release();
  if (isKept && feed.isOn) return new LiveFeed(feed);
  throw new Error(
    'The store keeps no changes. A service keeps them from its first start, unless CHANGES_KEPT is 0.',
  );
}

function asCursor(text: string): bigint {
  const cursor = parseInt64(text);
  if (cursor === undefined) throw new InvalidArgumentError('It must be the cursor of a change, or 0.');
  return cursor;
}
