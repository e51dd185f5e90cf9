import { pipeline } from 'node:stream/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DataSource, type ObjectLiteral } from 'typeorm';
import { type CommandLine, parseTime } from '../../kernel/cli/command-line.js';
import { Settings } from '../../kernel/config/settings.js';
import { parseJsonObject } from '../../kernel/http/body/exact-json.js';
import { toApiException } from '../../kernel/http/pipeline/error.filter.js';
import type { Collection } from '../../kernel/resource/collection.js';
import { parseInt64 } from '../../kernel/validation/decorators.js';
import { DtoValidationPipe } from '../../kernel/validation/validation.pipe.js';
import { ChangeFeed, KINDS } from './change-feed.js';
import { type ChangesFilter, filterOf } from './changes.controller.js';
import { ChangesSettings } from './changes.settings.js';

interface BringBackOptions {
  readonly of: string;
  readonly by?: string;
  readonly since?: Date;
  readonly dryRun?: true;
}

interface ChangesOptions extends ChangesFilter {
  readonly of: string;
  readonly after: bigint;
  readonly since?: Date;
}

/** Plants that are brought back in one transaction. */
const BATCH = 100;

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
    .option('--since <time>', 'only the changes since this time', parseTime)
    .option('--id <id>', 'only the changes of this plant')
    .option('--by <caller>', 'only the changes of this token, or of oidc: and a subject')
    .addOption(new Option('--kind <kind>', 'only the changes of this kind').choices(KINDS))
    .action((options: ChangesOptions) => writeChanges(options, commandLine));
  program
    .command('bring-back')
    .description('Store deleted plants again as they were, unless somebody has written them since.')
    .addOption(commandLine.resourceOption())
    .argument('[id]', 'the id of one plant')
    .option('--by <caller>', 'what this token, or oidc: and a subject, has deleted')
    .option('--since <time>', 'only what was deleted since then', parseTime)
    .option('--dry-run', 'store nothing')
    .action((id: string | undefined, options: BringBackOptions) => bringBack(id, options, commandLine));
}

async function writeChanges(
  { of, since, ...options }: ChangesOptions,
  commandLine: CommandLine,
): Promise<void> {
  await commandLine.withCollection('existing', of, async (collection, store) => {
    const feed = await keptChanges(collection, store);
    const isWanted = filterOf(options, collection.table);
    const after = since === undefined ? options.after : await feed.before(since);
    const lines = async function* () {
      for await (const changes of feed.read(after)) yield changes.only(isWanted).signed.lines;
    };
    await pipeline(lines, commandLine.terminal.stdout, { end: false });
  });
}

/** Stores the rows again whose last change is one of these deletions, and prints them. */
async function bringBack(
  id: string | undefined,
  { of, by, since, dryRun }: BringBackOptions,
  commandLine: CommandLine,
): Promise<void> {
  if (id === undefined && by === undefined) throw new Error('Name an id, or --by.');
  const { stdout, stderr } = commandLine.terminal;
  await commandLine.withCollection('existing', of, async (collection, store) => {
    const { table, resource } = collection;
    const feed = await keptChanges(collection, store);
    const isWanted = filterOf({ kind: 'deleted', ...(id && { id }), ...(by && { by }) }, table);
    const deleted = new Map<unknown, string>();
    const later = new Set<unknown>();
    for await (const changes of feed.read(since === undefined ? 0n : await feed.before(since)))
      for (const change of changes.all) {
        const { json } = change;
        const key = (table.parse(json)[table.noun] as ObjectLiteral)[table.key.property] as unknown;
        const before = deleted.delete(key) || later.delete(key);
        if (isWanted?.(change)) deleted.set(key, json.slice(json.indexOf(`,"${table.noun}":`), -1));
        else if (before) later.add(key);
      }
    if (deleted.size + later.size === 0)
      throw new Error('The store keeps no such deletion. Look in a backup.');
    const contents = Array.from(deleted.values(), (member) => member.slice(table.noun.length + 4));
    let stored = 0;
    for (let rest = dryRun ? [] : contents; rest.length > 0; rest = rest.slice(BATCH)) {
      const operations = await Promise.all(
        rest.slice(0, BATCH).map(async (json) => {
          const fields = parseJsonObject(Buffer.from(json), 'The change') as Record<string, unknown>;
          const as = { type: 'body', metatype: resource.dto } as const;
          const content = (await new DtoValidationPipe().transform(fields, as)) as ObjectLiteral;
          const preconditions = { ifMatch: undefined, mustNotExist: false };
          return { kind: 'create', key: content[table.key.property], content, preconditions } as const;
        }),
      );
      await collection.batch(operations).catch((cause: unknown) => {
        const { message } = toApiException(cause);
        throw new Error(`${message} Stored again until then: ${stored}. Repeat the command.`, { cause });
      });
      stored += operations.length;
    }
    for (const json of contents) stdout.write(`${json}\n`);
    const done = dryRun ? `Would be stored again: ${contents.length}` : `Stored again: ${stored}`;
    stderr.write(`${done}. Written since, and left as they are: ${later.size}.\n`);
  });
}

/** @throws Error when no service has kept changes in the store. */
async function keptChanges(
  { table, sites }: Collection<ObjectLiteral>,
  store: INestApplicationContext,
): Promise<ChangeFeed> {
  const dataSource = store.get(DataSource);
  const feed = new ChangeFeed(dataSource, table, store.get(Settings).database, store.get(ChangesSettings));
  const queries = dataSource.createQueryRunner();
  const isKept = await queries.hasTable(feed.name);
  await queries.release();
  if (isKept && feed.isOn) return feed;
  throw new Error(
    sites?.disorder === undefined
      ? 'The store keeps no changes. A service keeps them from its first start, unless CHANGES_KEPT is 0.'
      : `The store keeps no changes: ${sites.disorder}.`,
  );
}

function asCursor(text: string): bigint {
  const cursor = parseInt64(text);
  if (cursor === undefined) throw new InvalidArgumentError('It must be the cursor of a change, or 0.');
  return cursor;
}
