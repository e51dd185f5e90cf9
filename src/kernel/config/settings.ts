import { resolve } from 'node:path';
import { IsIn, Matches, MinLength } from 'class-validator';
import { TOKEN68 } from '../validation/token-format.js';
import { Variable } from './configuration.js';
import {
  IsAddressList,
  IsDatabaseUrl,
  IsHttpAddress,
  IsOriginList,
  IsWholeNumber,
  listOf,
  serversOf,
} from './formats.js';

const ONE_DAY_MS = 86_400_000;

/** The settings of the kernel. */
export class Settings {
  @Variable('The address to listen on; `0.0.0.0` for every interface.')
  HOST = '127.0.0.1';

  @Variable('The TCP port to listen on; 0 for a free one.')
  @IsWholeNumber(0, 65_535)
  PORT = 3000;

  @Variable(
    'A SQLite file, created if missing, or `postgres://user:password@host:5432/database`, with several hosts as in `host:5432,other:5432`: the first that can be reached is used.',
    { isSecret: true },
  )
  @IsDatabaseUrl()
  DATABASE_URL = 'sqlite:data/plant-store.db';

  @Variable('The maximum number of connections to PostgreSQL, from 2.')
  @IsWholeNumber(2, 1000)
  DATABASE_POOL_SIZE = 10;

  @Variable(
    'An access token with every scope, valid from the first start; 16 characters or more, such as from `openssl rand -hex 24`. Without it, the first start creates one and keeps it in a file.',
    { isSecret: true },
  )
  @MinLength(16, { message: '$property must have at least 16 characters, so that nobody guesses it' })
  @Matches(TOKEN68, {
    message:
      '$property must have only the characters of a bearer token (A-Z a-z 0-9 - . _ ~ + /, = at the end)',
  })
  BOOTSTRAP_TOKEN: string | undefined;

  @Variable('The public address, which the served contract contains.', { unset: 'where it listens' })
  @IsHttpAddress()
  BASE_URL: string | undefined;

  @Variable(
    'The origins whose pages may use the service from a browser, separated by commas, such as `https://app.example.org,http://localhost:5173`.',
  )
  @IsOriginList()
  CORS_ORIGINS: string | undefined;

  @Variable(
    'The [proxies](#trusted-proxies) whose `X-Forwarded-For` names the client: addresses, ranges such as `10.0.0.0/8`, `loopback`, `linklocal` or `uniquelocal`, separated by commas.',
  )
  // Those that Express knows by name.
  @IsAddressList('loopback', 'linklocal', 'uniquelocal')
  TRUSTED_PROXIES: string | undefined;

  @Variable(
    'The requests per access token and instance: a second, or a second and at once, as in `100:200`. The service returns 429 beyond it.',
  )
  @Matches(/^[1-9]\d{0,5}(:[1-9]\d{0,5})?$/, {
    message:
      '$property must be requests a second from 1 to 999999, as in 100, or with the requests at once, as in 100:200',
  })
  RATE_LIMIT: string | undefined;

  @Variable(
    'The timeout for a whole request to arrive, in milliseconds; for an import or export, between two pieces of progress.',
  )
  @IsWholeNumber(1, ONE_DAY_MS)
  REQUEST_TIMEOUT_MS = 30_000;

  @Variable(
    'The timeout for an idle connection, in milliseconds. Set it longer than that of a load balancer in front.',
  )
  @IsWholeNumber(1, ONE_DAY_MS)
  KEEP_ALIVE_TIMEOUT_MS = 65_000;

  @Variable(
    'The time for which a stopping service fails readiness but still serves, in milliseconds: as long as a load balancer needs to notice.',
  )
  @IsWholeNumber(0, ONE_DAY_MS)
  SHUTDOWN_DELAY_MS = 0;

  @Variable('The log level: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.')
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL = 'info';

  /** Milliseconds to wait for the lock of a SQLite file that another process holds. The wait blocks the event loop. */
  lockTimeout = 50;

  /** Writes that may wait for the database; more are refused. */
  writeQueueLimit = 4_096;

  /** Guesses of access tokens that one address may send in a minute. */
  authFailureLimit = 20;

  get database() {
    const timeouts = {
      /** Milliseconds that a statement may take; on SQLite, that a write may wait for its turn. */
      statementTimeout: 5_000,
      /** Milliseconds after which a transaction is rolled back if nothing happens in it. */
      idleInTransactionTimeout: 5_000,
      /** Milliseconds after which a transaction on SQLite is rolled back, whatever happens in it: all other writes wait for its end. */
      transactionTimeout: 60_000,
    };
    const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize, lockTimeout } = this;
    if (url.startsWith('sqlite:'))
      return {
        type: 'sqlite' as const,
        path: resolve(url.slice('sqlite:'.length)),
        lockTimeout,
        ...timeouts,
      };
    // The URLs contain the user, the password and TLS parameters, so they must not be shown.
    return { type: 'postgres' as const, urls: serversOf(url), poolSize, connectTimeout: 2_000, ...timeouts };
  }

  /** Without a trailing slash; undefined means the address where the service listens. */
  get baseUrl(): string | undefined {
    return this.BASE_URL?.replace(/\/+$/, '');
  }

  get corsOrigins(): readonly string[] {
    return listOf(this.CORS_ORIGINS);
  }

  get trustedProxies(): readonly string[] {
    return listOf(this.TRUSTED_PROXIES);
  }

  /** The limit for each access token; undefined for none. */
  get rateLimit(): RateLimit | undefined {
    if (this.RATE_LIMIT === undefined) return undefined;
    const [rate = 0, burst = rate] = this.RATE_LIMIT.split(':').map(Number);
    return { rate, burst };
  }

  /** Milliseconds after which the service stops waiting for someone else. */
  get timeouts() {
    return {
      /** From the first byte of a request to the end of its headers, which are a part of the request. */
      headers: Math.min(10_000, this.REQUEST_TIMEOUT_MS),
      /**
       * From the first byte of a request to the end of its body, and for the client to take the response; for a stream, the
       * longest time without progress.
       */
      request: this.REQUEST_TIMEOUT_MS,
      /** Between two requests on one connection. */
      keepAlive: this.KEEP_ALIVE_TIMEOUT_MS,
      /** From the stop signal, when readiness fails, until the service takes no new work. */
      shutdownDelay: this.SHUTDOWN_DELAY_MS,
      /** From the end of that delay until open connections are cut. Container engines kill after 10 s. */
      shutdown: 8_000,
    };
  }

  get log() {
    return {
      level: this.LOG_LEVEL,
      /** Coloured lines for a person, in place of JSON. */
      isPretty: process.stdout.isTTY,
      /** Milliseconds from which on a request is slow. */
      slowRequest: 1_000,
    };
  }
}

/** How often something may happen. */
export interface RateLimit {
  /** Times a second in the long run. */
  readonly rate: number;
  /** Times at once, after a pause. */
  readonly burst: number;
}

export type DatabaseSettings = Settings['database'];
export type SqliteSettings = Extract<DatabaseSettings, { type: 'sqlite' }>;
export type PostgresSettings = Extract<DatabaseSettings, { type: 'postgres' }>;
