import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server that the benchmark measures. */
export interface Contender {
  readonly name: string;
  /** Arguments of Node.js: flags, then the file. */
  readonly command: readonly string[];
  readonly environment: (port: number, database: string, token: string) => Record<string, string>;
}

const ROOT = join(import.meta.dirname, '..', '..');

/** What all others are compared with. */
export const LIMIT: Contender = {
  name: 'limit: node:http and better-sqlite3 by hand, group commit',
  command: [join(import.meta.dirname, 'servers', 'limit', 'sqlite.js')],
  environment: (port, database, token) => ({ ...generic(port, database, token), BENCH_COMMIT: 'group' }),
};

/** The service, started as `npm run start:prod` starts it. */
export const SHIPPED: Contender = {
  name: 'plant-store, as shipped',
  command: [...shippedFlags(), join(ROOT, 'dist', 'src', 'main.js')],
  environment: (port, database, token) => ({
    PORT: String(port),
    DATABASE_URL: `sqlite:${database}`,
    BOOTSTRAP_TOKEN: token,
  }),
};

export const CONTENDERS: readonly Contender[] = [
  LIMIT,
  {
    name: 'the same, one transaction a request',
    command: LIMIT.command,
    environment: (port, database, token) => ({ ...generic(port, database, token), BENCH_COMMIT: 'single' }),
  },
  {
    name: 'textbook: NestJS, ValidationPipe, Passport, insert()',
    command: [join(import.meta.dirname, 'servers', 'textbook.js')],
    environment: generic,
  },
  SHIPPED,
];

function generic(port: number, database: string, token: string): Record<string, string> {
  return { BENCH_PORT: String(port), BENCH_DATABASE: database, BENCH_TOKEN: token };
}

/** The flags with which `npm run start:prod` runs Node.js. */
function shippedFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return (
    scripts['start:prod']
      ?.split(' ')
      .filter((word, index, words) => word.startsWith('--') && words.indexOf(word) === index) ?? []
  );
}
