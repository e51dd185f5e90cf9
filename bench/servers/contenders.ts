import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseKind } from '../databases.js';
import type { Operation } from '../measure.js';

/** A server that the benchmark measures. */
export interface Contender {
  readonly name: string;
  readonly database: DatabaseKind;
  /** Arguments of Node.js: flags, then the file. */
  readonly command: readonly string[];
  /** What it can do. */
  readonly operations: readonly Operation[];
  readonly environment: (port: number, databaseUrl: string, token: string) => Record<string, string>;
}

const ALL: readonly Operation[] = ['create', 'read', 'page of 100'];

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What all others on the same database are compared with. */
export const LIMIT: Record<DatabaseKind, Contender> = {
  SQLite: {
    name: 'limit: node:http and better-sqlite3 by hand, group commit',
    database: 'SQLite',
    command: [join(import.meta.dirname, 'limit', 'sqlite.js')],
    operations: ALL,
    environment: (...place) => ({ ...generic(...place), BENCH_COMMIT: 'group' }),
  },
  PostgreSQL: {
    name: 'limit: node:http and pg by hand, group commit',
    database: 'PostgreSQL',
    command: [join(import.meta.dirname, 'limit', 'postgres.js')],
    operations: ALL,
    environment: generic,
  },
};

/** The service, started as `npm run start:prod` starts it. */
export const SHIPPED: Record<DatabaseKind, Contender> = {
  SQLite: shipped('SQLite'),
  PostgreSQL: shipped('PostgreSQL'),
};

export const CONTENDERS: readonly Contender[] = [
  LIMIT.SQLite,
  {
    ...LIMIT.SQLite,
    name: 'the same, one transaction a request',
    operations: ['create'],
    environment: (...place) => ({ ...generic(...place), BENCH_COMMIT: 'single' }),
  },
  textbook('SQLite'),
  SHIPPED.SQLite,
  LIMIT.PostgreSQL,
  textbook('PostgreSQL'),
  SHIPPED.PostgreSQL,
];

function textbook(database: DatabaseKind): Contender {
  return {
    name: 'textbook: NestJS, ValidationPipe, Passport, repository',
    database,
    command: [join(import.meta.dirname, 'textbook.js')],
    operations: ALL,
    environment: generic,
  };
}

function shipped(database: DatabaseKind): Contender {
  return {
    name: 'plant-store, as shipped',
    database,
    command: [...shippedFlags(), join(ROOT, 'dist', 'src', 'main.js')],
    operations: ALL,
    environment: (port, databaseUrl, token) => ({
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_TOKEN: token,
      ...shippedEnvironment(),
    }),
  };
}

function generic(port: number, databaseUrl: string, token: string): Record<string, string> {
  return { BENCH_PORT: String(port), BENCH_DATABASE: databaseUrl, BENCH_TOKEN: token };
}

/** The words of `npm run start:prod`, each of them once. */
function shippedWords(): Set<string> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return new Set(scripts['start:prod']?.split(' '));
}

/** The flags with which `npm run start:prod` runs Node.js. */
function shippedFlags(): string[] {
  return [...shippedWords()].filter((word) => word.startsWith('--'));
}

/** The variables that it sets. */
function shippedEnvironment(): Record<string, string> {
  const assignments = [...shippedWords()].filter((word) => /^\w+=/.test(word));
  return Object.fromEntries(assignments.map((word) => word.split('=') as [string, string]));
}
