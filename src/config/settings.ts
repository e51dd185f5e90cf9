export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const LOG_FORMATS = ['json', 'pretty'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Everything the service can be told from outside, already validated. Nothing else reads the environment. */
export class Settings {
  /** Address to listen on. */
  readonly host: string;
  /** TCP port to listen on; 0 takes a free one. */
  readonly port: number;
  readonly database: DatabaseSettings;
  /** The backups that the service makes of its SQLite file; undefined means none. */
  readonly backup: BackupSettings | undefined;
  /** Secret of an access token that is valid, with every scope, from the first start. */
  readonly bootstrapToken: string | undefined;
  /** The identity provider whose access tokens are accepted too; undefined when there is none. */
  readonly oidc: OidcSettings | undefined;
  /** Public address of the service, without a trailing slash; undefined means the address it listens on. */
  readonly baseUrl: string | undefined;
  /** Origins whose pages may use the service from a browser. */
  readonly corsOrigins: readonly string[];
  /** Addresses and ranges of proxies whose `X-Forwarded-For` names the client. */
  readonly trustedProxies: readonly string[];
  /** Writes that may wait for the database; more are refused. */
  readonly writeQueueLimit: number;
  /** Connections of clients that may be open; more are refused. */
  readonly maxConnections: number;
  /** Requests that each access token may make; undefined means any number. */
  readonly rateLimit: RateLimit | undefined;
  /** Guesses of access tokens that one address may send in a minute. */
  readonly authFailureLimit: number;
  readonly timeouts: TimeoutSettings;
  /** Whether the service has a page for people at `/console`. */
  readonly console: boolean;
  /** Where traces go; undefined when nobody traces. */
  readonly tracing: TracingSettings | undefined;
  readonly log: LogSettings;
}

/** An identity provider, which speaks OpenID Connect or OAuth 2.0 with discovery (RFC 8414). */
export interface OidcSettings {
  /** Its address, to the character as its tokens name it in `iss`. */
  readonly issuer: string;
  /** What tokens for this service name in `aud`. */
  readonly audience: string;
  /** What claims are worth; undefined means that the claim `scope` names the scopes of the service. */
  readonly grants: readonly ScopeGrant[] | undefined;
  /** As which the console, a public client (RFC 6749 section 2.1), signs people in; undefined when it does not. */
  readonly clientId: string | undefined;
}

/** A scope that tokens of an identity provider have if one of their claims has a value. */
export interface ScopeGrant {
  /** Name of the claim; of one inside of another, the names with dots between them. */
  readonly claim: string;
  readonly value: string;
  readonly scope: string;
}

/** How often something may happen. */
export interface RateLimit {
  /** Times a second in the long run. */
  readonly rate: number;
  /** Times at once, after a pause. */
  readonly burst: number;
}

export type DatabaseSettings = SqliteSettings | PostgresSettings;

/** Limits that either database has. */
interface DatabaseTimeouts {
  /** Milliseconds that a statement may take; on SQLite, that a write may wait for its turn. */
  readonly statementTimeout: number;
  /** Milliseconds after which a transaction is rolled back if nothing happens in it. */
  readonly idleInTransactionTimeout: number;
}

/** The embedded database: one file, with its `-wal` and `-shm` companions beside it. */
export interface SqliteSettings extends DatabaseTimeouts {
  readonly type: 'sqlite';
  /** Absolute path of the file. */
  readonly path: string;
  /** Milliseconds to wait for a lock that another process holds. The wait blocks the whole event loop. */
  readonly lockTimeout: number;
}

/** A PostgreSQL server, or one that speaks its protocol, which any number of instances may share. */
export interface PostgresSettings extends DatabaseTimeouts {
  readonly type: 'postgres';
  /** Address with user, password and TLS parameters: not to be shown. */
  readonly url: string;
  /** Connections that this instance holds at most. */
  readonly poolSize: number;
  /** Milliseconds to wait for a connection: a new one, or one of the pool to become free. */
  readonly connectTimeout: number;
}

export interface BackupSettings {
  /** Absolute path of the folder, which belongs to this store alone. */
  readonly folder: string;
  /** Milliseconds from one backup to the next. */
  readonly interval: number;
  /** How many backups are kept. */
  readonly keep: number;
}

/** Milliseconds after which the service stops waiting for someone else. */
export interface TimeoutSettings {
  /** From the first byte of a request to the end of its headers. */
  readonly headers: number;
  /** From the first byte of a request to the end of its body, and for its answer to be taken; where they stream, without any progress. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly keepAlive: number;
  /** From the stop signal, and from the moment that readiness fails, until the service takes no new work. */
  readonly shutdownDelay: number;
  /** From then until connections that are still open are cut. */
  readonly shutdown: number;
}

export interface TracingSettings {
  /** What takes spans, as JSON of the OpenTelemetry protocol. */
  readonly url: string;
  /** The name of the service in its traces. */
  readonly serviceName: string;
  /** How many of the traces that begin here are recorded, from 0 to 1. */
  readonly ratio: number;
}

export interface LogSettings {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Milliseconds from which on a request is slow. */
  readonly slowRequest: number;
}
