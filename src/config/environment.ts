import { resolve } from 'node:path';
import { applyDecorators } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsOptional,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateBy,
  validateSync,
} from 'class-validator';
import { isPlausible, JWT, TOKEN68 } from '../validation/token-format.js';
import { ConfigurationError } from './configuration.error.js';
import { IsDatabaseUrl } from './formats/is-database-url.js';
import { IsIssuer } from './formats/is-issuer.js';
import { IsOriginList } from './formats/is-origin-list.js';
import { IsProxyList } from './formats/is-proxy-list.js';
import { IsScopeGrants, type ScopeGrant } from './formats/is-scope-grants.js';
import { IsRateLimit } from './formats/is-rate-limit.js';
import {
  type BackupSettings,
  type DatabaseSettings,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type LogLevel,
  type OidcSettings,
  type RateLimit,
  type Settings,
  type TracingSettings,
} from './settings.js';

const ONE_DAY_MS = 86_400_000;
const DURATION = /^(?<count>[1-9]\d{0,4})(?<unit>[smhd])$/;
const UNITS_MS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', ONE_DAY_MS],
]);
/** As long as a write of the command line takes; a write that still finds the lock taken is answered 503. */
const LOCK_TIMEOUT_MS = 50;
/** Bodies of the largest size for which there is always memory, in their four copies: two. */
const LEAST_BODIES = 8;
/** Memory with which an import and an export still run beside other requests: 8 MiB. */
const LEAST_REQUEST_MEMORY = 8_388_608;
const ONE_GIB = 1_073_741_824;
/** A token that is shorter could be guessed. */
const MIN_TOKEN_LENGTH = 16;

/** The environment variables of the service, with their defaults; `.env.example` documents each. */
class Environment {
  HOST = '127.0.0.1';

  @IsWholeNumber(0, 65_535)
  PORT = 3000;

  @IsDatabaseUrl()
  DATABASE_URL = 'sqlite:data/plant-store.db';

  @IsWholeNumber(2, 1000)
  DATABASE_POOL_SIZE = 10;

  @IsWholeNumber(1, ONE_DAY_MS)
  DATABASE_CONNECT_TIMEOUT_MS = 2_000;

  @IsWholeNumber(1, ONE_DAY_MS)
  DATABASE_STATEMENT_TIMEOUT_MS = 5_000;

  @IsWholeNumber(1, ONE_DAY_MS)
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS = 5_000;

  BACKUP_FOLDER: string | undefined = undefined;

  @Matches(DURATION, { message: 'BACKUP_INTERVAL must be a whole number and s, m, h or d, as in 24h' })
  BACKUP_INTERVAL = '24h';

  @IsWholeNumber(1, 10_000)
  BACKUP_KEEP = 7;

  @IsOptional()
  @MinLength(MIN_TOKEN_LENGTH, {
    message: `BOOTSTRAP_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters: who guesses it has every scope`,
  })
  @Matches(TOKEN68, {
    message:
      'BOOTSTRAP_TOKEN must have only the characters of a bearer token (A-Z a-z 0-9 - . _ ~ + /, = at the end)',
  })
  @ValidateBy({
    name: 'isPlausible',
    validator: {
      validate: isPlausible,
      defaultMessage: () => 'BOOTSTRAP_TOKEN must not begin with pst_ unless the service has made it',
    },
  })
  BOOTSTRAP_TOKEN: string | undefined = undefined;

  @IsOptional()
  @IsIssuer()
  OIDC_ISSUER: string | undefined = undefined;

  @IsOptional()
  OIDC_AUDIENCE: string | undefined = undefined;

  @IsOptional()
  @IsScopeGrants()
  OIDC_SCOPES: readonly ScopeGrant[] | undefined = undefined;

  @IsOptional()
  OIDC_CLIENT_ID: string | undefined = undefined;

  @IsOptional()
  @IsHttpAddress()
  BASE_URL: string | undefined = undefined;

  @IsOptional()
  @IsOriginList()
  CORS_ORIGINS: readonly string[] | undefined = undefined;

  @IsOptional()
  @IsProxyList()
  TRUSTED_PROXIES: readonly string[] | undefined = undefined;

  @IsWholeNumber(1, ONE_GIB)
  BODY_LIMIT = 1_048_576;

  @IsWholeNumber(LEAST_REQUEST_MEMORY, 64 * ONE_GIB)
  REQUEST_MEMORY_LIMIT = 67_108_864;

  @IsWholeNumber(1, 1_000_000)
  WRITE_QUEUE_LIMIT = 4096;

  @IsWholeNumber(1, 1_000_000)
  MAX_CONNECTIONS = 10_000;

  @IsOptional()
  @IsRateLimit()
  RATE_LIMIT: RateLimit | undefined = undefined;

  @IsWholeNumber(0, 1_000_000)
  AUTH_FAILURE_LIMIT = 20;

  @IsWholeNumber(1, ONE_DAY_MS)
  HEADERS_TIMEOUT_MS = 10_000;

  @IsWholeNumber(1, ONE_DAY_MS)
  REQUEST_TIMEOUT_MS = 30_000;

  @IsWholeNumber(1, ONE_DAY_MS)
  KEEP_ALIVE_TIMEOUT_MS = 65_000;

  @IsWholeNumber(0, ONE_DAY_MS)
  SHUTDOWN_DELAY_MS = 0;

  @IsWholeNumber(0, ONE_DAY_MS)
  SHUTDOWN_TIMEOUT_MS = 8_000;

  @IsIn(['on', 'off'])
  METRICS: 'on' | 'off' = 'on';

  @IsIn(['on', 'off'])
  CONSOLE: 'on' | 'off' = 'on';

  @IsOptional()
  @IsHttpAddress()
  OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined = undefined;

  OTEL_SERVICE_NAME = 'plant-store';

  @IsRatio()
  OTEL_TRACES_SAMPLER_ARG = 1;

  @IsIn(LOG_LEVELS)
  LOG_LEVEL: LogLevel = 'info';

  @IsOptional()
  @IsIn(LOG_FORMATS)
  LOG_FORMAT: LogFormat | undefined = undefined;

  @IsWholeNumber(0, ONE_DAY_MS)
  SLOW_REQUEST_MS = 1_000;
}

/** The environment variables that the service reads, with their defaults. */
export const DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(new Environment()),
);

/** Variables of which nobody is shown more than that they are set. */
const SECRETS = new Set(['DATABASE_URL', 'BOOTSTRAP_TOKEN']);

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
  return {
    host: variables.HOST,
    port: variables.PORT,
    database: databaseSettings(variables, lockTimeout),
    backup: backupSettings(variables),
    bootstrapToken: variables.BOOTSTRAP_TOKEN,
    oidc: oidcSettings(variables),
    baseUrl: variables.BASE_URL?.replace(/\/+$/, ''),
    corsOrigins: variables.CORS_ORIGINS ?? [],
    trustedProxies: variables.TRUSTED_PROXIES ?? [],
    bodyLimit: variables.BODY_LIMIT,
    requestMemoryLimit: variables.REQUEST_MEMORY_LIMIT,
    writeQueueLimit: variables.WRITE_QUEUE_LIMIT,
    maxConnections: variables.MAX_CONNECTIONS,
    rateLimit: variables.RATE_LIMIT,
    authFailureLimit: variables.AUTH_FAILURE_LIMIT,
    timeouts: {
      headers: variables.HEADERS_TIMEOUT_MS,
      request: variables.REQUEST_TIMEOUT_MS,
      keepAlive: variables.KEEP_ALIVE_TIMEOUT_MS,
      shutdownDelay: variables.SHUTDOWN_DELAY_MS,
      shutdown: variables.SHUTDOWN_TIMEOUT_MS,
    },
    metrics: variables.METRICS === 'on',
    console: variables.CONSOLE === 'on',
    tracing: tracingSettings(variables),
    log: {
      level: variables.LOG_LEVEL,
      format: variables.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
      slowRequest: variables.SLOW_REQUEST_MS,
    },
  };
}

/** The variables with the values that are in effect, without secrets: for whoever runs the service. */
export function effectiveValues(environment: NodeJS.ProcessEnv): Record<string, unknown> {
  const values = Object.entries(readVariables(environment));
  return Object.fromEntries(
    values.map(([name, value]) => [
      name,
      SECRETS.has(name) && value !== DEFAULTS[name] ? '(set)' : (value as unknown),
    ]),
  );
}

function readVariables(environment: NodeJS.ProcessEnv): Environment {
  const given = Object.keys(DEFAULTS)
    .filter((name) => environment[name])
    .map((name) => [name, environment[name]]);
  const variables = plainToInstance(Environment, Object.fromEntries(given));
  const problems = validateSync(variables, { stopAtFirstError: true }).flatMap((error) =>
    Object.values(error.constraints ?? {}),
  );
  problems.push(...conflicts(variables));
  if (problems.length > 0) throw new ConfigurationError(problems);
  const { BODY_LIMIT, REQUEST_MEMORY_LIMIT, HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS } = variables;
  variables.REQUEST_MEMORY_LIMIT = Math.max(REQUEST_MEMORY_LIMIT, LEAST_BODIES * BODY_LIMIT);
  // The headers are a part of the request.
  variables.HEADERS_TIMEOUT_MS = Math.min(HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS);
  return variables;
}

function databaseSettings(variables: Environment, lockTimeout: number): DatabaseSettings {
  const { DATABASE_URL: url } = variables;
  const timeouts = {
    statementTimeout: variables.DATABASE_STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeout: variables.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
  };
  if (url.startsWith('sqlite:')) {
    return { type: 'sqlite', path: resolve(url.slice('sqlite:'.length)), lockTimeout, ...timeouts };
  }
  return {
    type: 'postgres',
    url,
    poolSize: variables.DATABASE_POOL_SIZE,
    connectTimeout: variables.DATABASE_CONNECT_TIMEOUT_MS,
    ...timeouts,
  };
}

function oidcSettings(variables: Environment): OidcSettings | undefined {
  const {
    OIDC_ISSUER: issuer,
    OIDC_AUDIENCE: audience,
    OIDC_SCOPES: grants,
    OIDC_CLIENT_ID: clientId,
  } = variables;
  return issuer === undefined || audience === undefined ? undefined : { issuer, audience, grants, clientId };
}

/** What is wrong with variables that are fine by themselves. */
function conflicts({
  OIDC_ISSUER,
  OIDC_AUDIENCE,
  OIDC_SCOPES,
  OIDC_CLIENT_ID,
  BOOTSTRAP_TOKEN = '',
  BACKUP_FOLDER,
  DATABASE_URL,
}: Environment): string[] {
  const hasIssuer = OIDC_ISSUER !== undefined;
  const rules: [broken: boolean, problem: string][] = [
    [hasIssuer !== (OIDC_AUDIENCE !== undefined), 'OIDC_ISSUER and OIDC_AUDIENCE need each other'],
    [OIDC_SCOPES !== undefined && !hasIssuer, 'OIDC_SCOPES needs OIDC_ISSUER'],
    [OIDC_CLIENT_ID !== undefined && !hasIssuer, 'OIDC_CLIENT_ID needs OIDC_ISSUER'],
    [hasIssuer && JWT.test(BOOTSTRAP_TOKEN), 'BOOTSTRAP_TOKEN must not be a JWT if there is an OIDC_ISSUER'],
    [
      BACKUP_FOLDER !== undefined && !DATABASE_URL.startsWith('sqlite:'),
      'BACKUP_FOLDER must be empty on PostgreSQL, which pg_dump backs up',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => problem);
}

function tracingSettings(variables: Environment): TracingSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = variables;
  if (endpoint === undefined) return undefined;
  return {
    // Each kind of telemetry has a path of its own there (OpenTelemetry Protocol Exporter, endpoint URLs for OTLP/HTTP).
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    serviceName: variables.OTEL_SERVICE_NAME,
    ratio: variables.OTEL_TRACES_SAMPLER_ARG,
  };
}

function IsHttpAddress(): PropertyDecorator {
  return IsUrl(
    {
      protocols: ['http', 'https'],
      require_protocol: true,
      require_tld: false,
      allow_underscores: true,
      disallow_auth: true,
      allow_query_components: false,
      allow_fragments: false,
    },
    { message: '$property must be an http or https address without a query or credentials' },
  );
}

function backupSettings({
  BACKUP_FOLDER: folder,
  BACKUP_INTERVAL,
  BACKUP_KEEP: keep,
}: Environment): BackupSettings | undefined {
  if (folder === undefined) return undefined;
  const { count, unit = '' } = DURATION.exec(BACKUP_INTERVAL)?.groups ?? {};
  return { folder: resolve(folder), interval: Number(count) * (UNITS_MS.get(unit) ?? 0), keep };
}

/** Accepts plain decimal digits; `Number` would also take `0x1F90`, `1e3` and white space. */
function IsWholeNumber(least: number, most: number): PropertyDecorator {
  const message = `$property must be a whole number from ${least} to ${most}`;
  return applyDecorators(
    Transform(({ value }: { value: string }) => (/^\d+$/.test(value) ? Number(value) : value)),
    IsInt({ message }),
    Min(least, { message }),
    Max(most, { message }),
  );
}

function IsRatio(): PropertyDecorator {
  const message = '$property must be a decimal number from 0 to 1, such as 0.01';
  return applyDecorators(
    Transform(({ value }: { value: string }) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : value)),
    Min(0, { message }),
    Max(1, { message }),
  );
}
