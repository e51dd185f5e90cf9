import type { DataSource } from 'typeorm';
import type { Settings } from '../../config/settings.js';
import { describeDatabase } from '../../database/describe-database.js';
import { unsafeSettings } from '../../database/unsafe-settings.js';
import { type Finding, ok, problem, warning } from './finding.js';

/** The oldest version of PostgreSQL that the service is tested on. */
const OLDEST_POSTGRES = 15;

const SQLITE = `
  SELECT sqlite_version() AS version, encoding, journal_mode AS journal
  FROM pragma_encoding, pragma_journal_mode`;

const POSTGRES = `
  SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS "isStandby"`;

/** What the database is, and whether it can keep what it is given. */
export async function* checkServer(dataSource: DataSource, { database }: Settings): AsyncGenerator<Finding> {
  const name = describeDatabase(database);
  if (database.type === 'sqlite') {
    const [{ version, encoding, journal } = UNKNOWN] = await dataSource.query<Server[]>(SQLITE);
    yield ok('database', `SQLite ${version} at ${name}, ${encoding}, journal mode ${journal}.`);
    return;
  }
  const [{ version, encoding, isStandby } = UNKNOWN] = await dataSource.query<Server[]>(POSTGRES);
  const server = `${name} has version ${version} and the encoding ${encoding}`;
  if (isStandby)
    yield problem('database', `${server}, and is a standby.`, 'Name the primary in DATABASE_URL.');
  else if (encoding !== 'UTF8') yield problem('database', `${server}.`, 'Make a database in UTF8.');
  else if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
    yield problem('database', `${server}.`, `Upgrade PostgreSQL to ${OLDEST_POSTGRES} or newer.`);
  else yield ok('database', `${server}.`);
  yield* checkDurability(dataSource);
}

interface Server {
  readonly version: string;
  readonly encoding: string;
  readonly journal?: string;
  readonly isStandby?: boolean;
}

const UNKNOWN: Server = { version: 'unknown', encoding: 'unknown' };

async function* checkDurability(dataSource: DataSource): AsyncGenerator<Finding> {
  const unsafe = await unsafeSettings(dataSource);
  if (unsafe.length === 0) yield ok('durability', 'PostgreSQL syncs every commit.');
  else
    yield warning(
      'durability',
      `PostgreSQL runs without ${unsafe.join(', ')}: acknowledged plants may be lost when its machine fails.`,
      'Switch them on in its configuration.',
    );
}
