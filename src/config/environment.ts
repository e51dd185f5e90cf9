import { resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { IsIn, Matches, MinLength, validateSync } from 'class-validator';
import { JWT, TOKEN68 } from '../validation/token-format.js';
import {
  Check,
  IsAddressList,
  IsDatabaseUrl,
  IsHttpAddress,
  IsIssuer,
  IsListOf,
  IsOriginList,
  IsProxyList,
  IsRatio,
  IsWholeNumber,
  listOf,
} from './formats.js';
import type { RateLimit, ScopeGrant, Settings } from './settings.js';

const ONE_DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: ONE_DAY_MS };
/** Claim, value and scope; the value may have a `=` of its own. */
const GRANT = /^(?<claim>[^\s=]+)=(?<value>.+)=(?<scope>[^\s=]+)$/;
/** As long as a write of the command line takes; a write that still finds the lock taken is answered 503. */
const LOCK_TIMEOUT_MS = 50;

/** What the documents say of a variable. */
interface Description {
  /** A sentence or two, in Markdown. */
  readonly sentence: string;
  /** The default in words, if no value can be one. */
  readonly unset?: string;
  /** Of a secret, the service shows only whether it is set. */
  readonly isSecret?: true;
}

/** What each variable is, in the order of the documents. `npm run generate:settings` writes them. */
export const DESCRIPTIONS = new Map<string, Description>();

function Variable(sentence: string, more: Omit<Description, 'sentence'> = {}): PropertyDecorator {
  return (_, name) => void DESCRIPTIONS.set(String(name), { sentence, ...more });
}

const NEEDS_ISSUER = Check((_, { OIDC_ISSUER }) => !OIDC_ISSUER && 'needs OIDC_ISSUER');

/** The environment holds values the service cannot run with; the message names every one of them. */
export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid: ${problems.join('; ')}.`);
  }
}

/** The environment variables of the service, with their defaults. */
class Environment {
  @Variable('The address to listen on; `0.0.0.0` for every interface.')
  HOST = '127.0.0.1';

  @Variable('The TCP port to listen on; 0 for a free one.')
  @IsWholeNumber(0, 65_535)
  PORT = 3000;

  @Variable('A SQLite file, created if missing, or `postgres://user:password@host:5432/database`.', {
    isSecret: true,
  })
  @IsDatabaseUrl()
  DATABASE_URL = 'sqlite:data/plant-store.db';

  @Variable('The maximum number of connections to PostgreSQL, from 2.')
  @IsWholeNumber(2, 1000)
  DATABASE_POOL_SIZE = 10;

  @Variable(
    'The folder for [backups](backup.md#backup-of-sqlite) of the SQLite file, which the service makes itself. With Docker Compose: `/backups`, a volume.',
  )
  @Check(
    (_, { DATABASE_URL }) =>
      !String(DATABASE_URL).startsWith('sqlite:') && 'must be empty on PostgreSQL, which pg_dump backs up',
  )
  BACKUP_FOLDER: string | undefined;

  @Variable('The time from one backup to the next: a whole number and `s`, `m`, `h` or `d`.')
  @Matches(/^[1-9]\d{0,4}[smhd]$/, {
    message: '$property must be a whole number and s, m, h or d, as in 24h',
  })
  BACKUP_INTERVAL = '24h';

  @Variable('How many backups the service keeps. It deletes older ones.')
  @IsWholeNumber(1, 10_000)
  BACKUP_KEEP = 7;

  @Variable(
    'An access token with every scope, valid from the first start; 16 characters or more, such as from `openssl rand -hex 24`. Without it, the first start creates one and keeps it in a file.',
    { isSecret: true },
  )
  @MinLength(16, { message: '$property must have at least 16 characters, so that nobody guesses it' })
  @Matches(TOKEN68, {
    message:
      '$property must have only the characters of a bearer token (A-Z a-z 0-9 - . _ ~ + /, = at the end)',
  })
  @Check(
    (token, { OIDC_ISSUER }) =>
      OIDC_ISSUER !== undefined && JWT.test(token) && 'must not be a JWT if there is an OIDC_ISSUER',
  )
  BOOTSTRAP_TOKEN: string | undefined;

  @Variable(
    'The identity provider whose access tokens the service accepts beside its own, exactly as its tokens have it in `iss`, such as `https://login.example.org/realms/garden`.',
  )
  @IsIssuer()
  @Check((_, { OIDC_AUDIENCE }) => !OIDC_AUDIENCE && 'needs OIDC_AUDIENCE')
  OIDC_ISSUER: string | undefined;

  @Variable('What these tokens have in `aud`. `OIDC_ISSUER` requires it.')
  @NEEDS_ISSUER
  OIDC_AUDIENCE: string | undefined;

  @Variable(
    'What the [claims](#claims-and-scopes) of these tokens are worth: `claim=value=scope`, separated by commas, such as `groups=/gardeners=plants:write`.',
    { unset: 'the claim `scope`' },
  )
  @IsListOf('claim=value=scope, as in groups=/gardeners=plants:write', (grant) => GRANT.test(grant))
  @NEEDS_ISSUER
  OIDC_SCOPES: string | undefined;

  @Variable(
    'The public client of the identity provider as which the [console](console.md#sign-in) signs people in.',
  )
  @NEEDS_ISSUER
  OIDC_CLIENT_ID: string | undefined;

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
  @IsProxyList()
  TRUSTED_PROXIES: string | undefined;

  @Variable(
    'The maximum number of open connections, capped at `ulimit -n` minus 300. The service returns 503 beyond it. Set it higher than what a load balancer in front opens.',
  )
  @IsWholeNumber(1, 1_000_000)
  MAX_CONNECTIONS = 10_000;

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

  @Variable('Whether the service has its page for people at `/console`: `on` or `off`.')
  @IsIn(['on', 'off'])
  CONSOLE = 'on';

  @Variable(
    'Whether lists can be [searched](api.md#search): `on` or `off`. The service builds the index, which every write pays for, or removes it.',
  )
  @IsIn(['on', 'off'])
  SEARCH = 'off';

  @Variable(
    'The time for which the service keeps each [change](api.md#changes): a whole number and `s`, `m`, `h` or `d`. With `0`, it keeps none, and writes cost less.',
  )
  @Matches(/^(0|[1-9]\d{0,4}[smhd])$/, {
    message: '$property must be 0, or a whole number and s, m, h or d, as in 7d',
  })
  CHANGES_KEPT = '7d';

  @Variable(
    'The secret from which the service derives those of [webhooks](api.md#webhooks); 32 characters or more, such as from `openssl rand -hex 32`, the same on all instances. Without it, there are no webhooks.',
    { isSecret: true },
  )
  @MinLength(32, { message: '$property must have at least 32 characters, so that nobody guesses it' })
  WEBHOOK_KEY: string | undefined;

  @Variable(
    'Addresses that webhooks may reach although they are not public, by `http` as well: addresses or ranges such as `10.0.0.0/8`, separated by commas.',
  )
  @IsAddressList()
  WEBHOOK_ADDRESSES: string | undefined;

  @Variable(
    'The address of a collector for [traces](operations.md#traces), such as `http://collector:4318`. Without it, nothing is traced.',
  )
  @IsHttpAddress()
  OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;

  @Variable('The ratio of traces to record, from 0 to 1, if the client does not decide.')
  @IsRatio()
  OTEL_TRACES_SAMPLER_ARG = 1;

  @Variable('The log level: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.')
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL = 'info';
}

/** The values of the variables that are not set. */
export const DEFAULTS: Readonly<Record<string, string | number | undefined>> = Object.fromEntries(
  Object.entries(new Environment()),
);

/**
 * Reads the settings from environment variables; an empty variable counts as absent.
 *
 * @throws ConfigurationError that names every variable with a bad value.
 */
export function readSettings(
  environment: NodeJS.ProcessEnv,
  { lockTimeout = LOCK_TIMEOUT_MS } = {},
): Settings {
  const variables = readVariables(environment);
  const { DATABASE_URL, BACKUP_FOLDER, OIDC_ISSUER, OIDC_AUDIENCE, OTEL_EXPORTER_OTLP_ENDPOINT } = variables;
  const timeouts = {
    statementTimeout: 5_000,
    idleInTransactionTimeout: 5_000,
    transactionTimeout: 60_000,
  };
  return {
    host: variables.HOST,
    port: variables.PORT,
    database: DATABASE_URL.startsWith('sqlite:')
      ? { type: 'sqlite', path: resolve(DATABASE_URL.slice('sqlite:'.length)), lockTimeout, ...timeouts }
      : {
          type: 'postgres',
          url: DATABASE_URL,
          poolSize: variables.DATABASE_POOL_SIZE,
          connectTimeout: 2_000,
          ...timeouts,
        },
    backup: BACKUP_FOLDER
      ? {
          folder: resolve(BACKUP_FOLDER),
          interval: millisecondsOf(variables.BACKUP_INTERVAL),
          keep: variables.BACKUP_KEEP,
        }
      : undefined,
    bootstrapToken: variables.BOOTSTRAP_TOKEN,
    oidc:
      OIDC_ISSUER && OIDC_AUDIENCE
        ? {
            issuer: OIDC_ISSUER,
            audience: OIDC_AUDIENCE,
            grants: variables.OIDC_SCOPES ? grantsOf(variables.OIDC_SCOPES) : undefined,
            clientId: variables.OIDC_CLIENT_ID,
          }
        : undefined,
    baseUrl: variables.BASE_URL?.replace(/\/+$/, ''),
    corsOrigins: listOf(variables.CORS_ORIGINS),
    trustedProxies: listOf(variables.TRUSTED_PROXIES),
    writeQueueLimit: 4_096,
    maxConnections: variables.MAX_CONNECTIONS,
    rateLimit: variables.RATE_LIMIT ? rateLimitOf(variables.RATE_LIMIT) : undefined,
    authFailureLimit: 20,
    timeouts: {
      // The headers are a part of the request.
      headers: Math.min(10_000, variables.REQUEST_TIMEOUT_MS),
      request: variables.REQUEST_TIMEOUT_MS,
      keepAlive: variables.KEEP_ALIVE_TIMEOUT_MS,
      shutdownDelay: variables.SHUTDOWN_DELAY_MS,
      // Container engines kill after 10 s.
      shutdown: 8_000,
    },
    console: variables.CONSOLE === 'on',
    search: variables.SEARCH === 'on',
    changesKept: millisecondsOf(variables.CHANGES_KEPT),
    webhooks: variables.WEBHOOK_KEY
      ? {
          key: variables.WEBHOOK_KEY,
          addresses: listOf(variables.WEBHOOK_ADDRESSES),
          look: 5_000,
          lease: 15_000,
          timeout: 15_000,
          retry: { least: 1_000, most: 3_600_000 },
        }
      : undefined,
    tracing: OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          // Each kind of telemetry has a path of its own (OpenTelemetry Protocol Exporter, endpoint URLs for OTLP/HTTP).
          url: `${OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
          ratio: variables.OTEL_TRACES_SAMPLER_ARG,
        }
      : undefined,
    log: { level: variables.LOG_LEVEL, isPretty: process.stdout.isTTY, slowRequest: 1_000 },
  };
}

/** The variables that differ from their defaults, without secrets. */
export function changedValues(environment: NodeJS.ProcessEnv): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(readVariables(environment)));
  return Object.fromEntries(
    [...DESCRIPTIONS]
      .filter(([name]) => values.get(name) !== DEFAULTS[name])
      .map(([name, { isSecret }]) => [name, isSecret ? '(set)' : values.get(name)]),
  );
}

function readVariables(environment: NodeJS.ProcessEnv): Environment {
  const given = [...DESCRIPTIONS.keys()]
    .filter((name) => environment[name])
    .map((name) => [name, environment[name]]);
  const variables = plainToInstance(Environment, Object.fromEntries(given));
  const errors = validateSync(variables, { stopAtFirstError: true, skipUndefinedProperties: true });
  const problems = errors.flatMap(({ constraints = {} }) => Object.values(constraints));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return variables;
}

function millisecondsOf(duration: string): number {
  return Number.parseInt(duration, 10) * (UNITS_MS[duration.slice(-1)] ?? 0);
}

function grantsOf(text: string): readonly ScopeGrant[] {
  return listOf(text).map((grant) => {
    const { claim = '', value = '', scope = '' } = GRANT.exec(grant)?.groups ?? {};
    return { claim, value, scope };
  });
}

function rateLimitOf(text: string): RateLimit {
  const [rate = 0, burst = rate] = text.split(':').map(Number);
  return { rate, burst };
}
