import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { DataSource, MigrationExecutor } from 'typeorm';
import { AccessToken } from '../auth/access-token.entity.js';
import { AccessTokensService, digest } from '../auth/access-tokens.service.js';
import { ADMIN } from '../auth/principal.js';
import { featuresOf } from '../app.module.js';
import type { Configuration } from '../config/configuration.js';
import { type DatabaseSettings, Settings } from '../config/settings.js';
import { examinationOptions } from '../database/data-source-options.js';
import { DatabaseStartError, describeDatabase } from '../database/database-start.error.js';
import { MIGRATIONS, pendingMigrations, refuseNewerSchema } from '../database/open-data-source.js';
import { requireWholeStore } from '../database/sqlite/store-file.js';
import type { Feature, Finding } from '../feature.js';
import type { CommandLine } from './command-line.js';

/** Milliseconds to wait for a process that has locked the file: a service does so for moments only. */
const LOCK_TIMEOUT_MS = 1_000;

/** The oldest version of PostgreSQL that the service is tested on. */
const OLDEST_POSTGRES = 15;

/** How long before its expiry a token should be replaced, in milliseconds: 14 days. */
const SOON_MS = 14 * 86_400_000;

/** Free bytes below which a disk is filling up, as for the alert PlantStoreDiskFilling. */
const LITTLE_SPACE = 1_000_000_000;

/** Free bytes below which writes fail, or soon will: the size that the write-ahead log reaches before SQLite reuses it. */
const NO_SPACE = 4_000_000;

/** `plant-store doctor`: says what is wrong with the settings, the database and the tokens, and changes nothing. */
export function addDoctorCommand(program: Command, commandLine: CommandLine): void {
  program
    .command('doctor')
    .description('Check settings, database and tokens, and advise; changes nothing.')
    .option('--strict', 'fail on warnings, too')
    .option('--json', 'write JSON')
    .action(async ({ strict, json }: { readonly strict?: true; readonly json?: true }) => {
      const findings: Finding[] = [];
      for await (const finding of examine(commandLine)) findings.push(finding);
      const text = json ? JSON.stringify(findings, null, 2) : findings.map(asLine).join('\n');
      commandLine.terminal.stdout.write(`${text}\n`);
      const failures = findings.filter(({ state }) => state === 'problem' || (strict && state === 'warning'));
      if (failures.length > 0) throw new Error(`${failures.length} of ${findings.length} checks failed.`);
    });
}

function asLine({ state, check, message, advice = '' }: Finding): string {
  return `${state.padEnd(7)}  ${check.padEnd(10)}  ${message} ${advice}`.trimEnd();
}

async function* examine(commandLine: CommandLine): AsyncGenerator<Finding> {
  let configuration: Configuration;
  let features: readonly Feature[];
  try {
    configuration = commandLine.configure();
    features = featuresOf(configuration);
  } catch (error) {
    const advice = 'Correct the environment or the file .env: docs/configuration.md lists every setting.';
    yield problem('settings', (error as Error).message, advice);
    return;
  }
  const changed = Object.entries(configuration.changes()).map(([name, value]) => `${name}=${String(value)}`);
  yield ok('settings', `Valid; ${changed.join(' ') || 'all have their defaults'}.`);
  yield* examineDatabase(configuration, features);
}

async function* examineDatabase(
  configuration: Configuration,
  features: readonly Feature[],
): AsyncGenerator<Finding> {
  const settings = Object.assign(configuration.get(Settings), { lockTimeout: LOCK_TIMEOUT_MS });
  const { database } = settings;
  const dataSource = new DataSource({
    ...examinationOptions({ database }),
    entities: [AccessToken],
  });
  try {
    if (database.type === 'sqlite') {
      if (!existsSync(database.path))
        throw new DatabaseStartError(`The database file ${database.path} does not exist.`);
      // First: on a full disk, SQLite may fail to read.
      yield checkDisk(database.path);
      await requireWholeStore(database.path);
    }
    await dataSource.initialize();
    yield* checkServer(dataSource, database);
    const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
    const schema = checkSchema(executed.map(({ name }) => name));
    yield schema;
    // The tables of another version may lack columns.
    if (schema.state !== 'ok') return;
    const tokens = await new AccessTokensService(dataSource.getRepository(AccessToken)).list();
    yield* checkTokens(
      tokens,
      settings.BOOTSTRAP_TOKEN,
      features.some((feature) => feature.acceptsTokens),
    );
    for (const feature of features) yield* feature.examine?.(dataSource, configuration) ?? [];
  } catch (error) {
    const { message } = DatabaseStartError.from(error, database);
    yield problem('database', message, 'See docs/troubleshooting.md.');
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

const SERVER = `
  SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS "isStandby",
    (SELECT string_agg(name, ', ' ORDER BY name) FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off') AS unsafe`;

interface Server {
  readonly version: string;
  readonly encoding: string;
  readonly isStandby: boolean;
  /** The settings that are off although PostgreSQL needs them to keep every commit. */
  readonly unsafe: string | null;
}

async function* checkServer(dataSource: DataSource, database: DatabaseSettings): AsyncGenerator<Finding> {
  const name = describeDatabase(database);
  if (database.type === 'sqlite') {
    const [result] =
      await dataSource.query<{ readonly integrity_check: string }[]>('PRAGMA integrity_check(1)');
    if (result?.integrity_check !== 'ok')
      throw new DatabaseStartError(
        `The database file ${name} is corrupt: ${result?.integrity_check.trim()}.`,
      );
    yield ok('database', `SQLite at ${name}.`);
    return;
  }
  for (const { version, encoding, isStandby, unsafe } of await dataSource.query<Server[]>(SERVER)) {
    const server = `${name} has version ${version} and the encoding ${encoding}`;
    if (isStandby)
      yield problem('database', `${server}, and is a standby.`, 'Name the primary in DATABASE_URL.');
    else if (encoding !== 'UTF8') yield problem('database', `${server}.`, 'Make a database in UTF8.');
    else if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
      yield problem('database', `${server}.`, `Upgrade PostgreSQL to ${OLDEST_POSTGRES} or newer.`);
    else yield ok('database', `${server}.`);
    if (unsafe === null) yield ok('durability', 'PostgreSQL syncs every commit.');
    else
      yield warning(
        'durability',
        `PostgreSQL runs without ${unsafe}: acknowledged plants may be lost when its machine fails.`,
        'Switch them on in its configuration.',
      );
  }
}

function checkDisk(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(realpathSync(path)));
  const free = bavail * bsize;
  const megabytes = `${Math.floor(free / 1_000_000).toLocaleString('en')} MB`;
  const advice = 'See docs/troubleshooting.md, "The disk is full".';
  if (free < NO_SPACE)
    return problem('disk', `The disk of ${path} is full: ${megabytes} are free, and writes fail.`, advice);
  if (free < LITTLE_SPACE) return warning('disk', `The disk of ${path} has ${megabytes} left.`, advice);
  return ok('disk', 'At least 1 GB is free.');
}

function checkSchema(executed: readonly string[]): Finding {
  try {
    refuseNewerSchema(executed);
  } catch (error) {
    const advice = 'Run that version, or restore a backup from before the upgrade.';
    return problem('schema', (error as Error).message, advice);
  }
  const pending = pendingMigrations(executed);
  if (pending.length === 0) return ok('schema', `All ${MIGRATIONS.size} migrations are in.`);
  const advice =
    'Make a backup; the next start of this version runs them. The doctor then checks the tokens.';
  return warning('schema', `Migrations are pending: ${pending.join(', ')}.`, advice);
}

function* checkTokens(
  tokens: readonly AccessToken[],
  bootstrapToken: string | undefined,
  acceptsOthers: boolean,
): Generator<Finding> {
  const kept = tokens.filter(({ revokedAt }) => revokedAt === null);
  const expired = kept.filter((token) => expiresBefore(token, Date.now()));
  const ending = kept.filter(
    (token) => expiresBefore(token, Date.now() + SOON_MS) && !expired.includes(token),
  );
  const valid = kept.length - expired.length;
  if (tokens.length === 0)
    yield warning('tokens', 'There is no token.', 'The next start makes one and says where it is.');
  else if (valid === 0)
    yield problem(
      'tokens',
      'No token is valid: nobody can use the service.',
      'Run plant-store token create.',
    );
  // Tokens of an identity provider may have `admin`.
  else if (!acceptsOthers && !kept.some((token) => token.scopes.includes(ADMIN) && !expired.includes(token)))
    yield warning(
      'tokens',
      `${valid} of ${tokens.length} are valid, but none with the scope ${ADMIN}: nobody can manage tokens and webhooks over HTTP.`,
      `Run plant-store token create --scope ${ADMIN}.`,
    );
  else yield ok('tokens', `${valid} of ${tokens.length} are valid.`);
  const advice = 'Run plant-store token create for those in use, and plant-store token revoke for each.';
  if (ending.length > 0)
    yield warning('tokens', `Within 14 days expire: ${ending.map(describe).join(', ')}.`, advice);
  if (expired.length > 0) yield warning('tokens', `Expired: ${expired.map(describe).join(', ')}.`, advice);
  const bootstrap = bootstrapToken && tokens.find((token) => token.digest === digest(bootstrapToken));
  if (bootstrap && bootstrap.revokedAt !== null)
    yield warning(
      'tokens',
      `BOOTSTRAP_TOKEN is the token ${bootstrap.id}, which is revoked and stays so.`,
      'Choose another one, or none.',
    );
}

function expiresBefore({ expiresAt }: AccessToken, time: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= time;
}

function describe({ id, name, expiresAt }: AccessToken): string {
  return `${id} (${name}) on ${expiresAt?.toISOString().slice(0, 10)}`;
}

function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

function warning(check: string, message: string, advice: string): Finding {
  return { check, state: 'warning', message, advice };
}

function problem(check: string, message: string, advice: string): Finding {
  return { check, state: 'problem', message, advice };
}
