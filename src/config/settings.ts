/** Everything the service can be told from outside, already validated. Nothing else reads the environment. */
export class Settings {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly database: DatabaseSettings;
  /** undefined without scheduled backups. */
  readonly backup: BackupSettings | undefined;
  readonly bootstrapToken: string | undefined;
  readonly oidc: OidcSettings | undefined;
  /** Without a trailing slash; undefined means the address where the service listens. */
  readonly baseUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Writes that may wait for the database; more are refused. */
  readonly writeQueueLimit: number;
  readonly maxConnections: number;
  /** Of each access token; undefined means any number of requests. */
  readonly rateLimit: RateLimit | undefined;
  /** Guesses of access tokens that one address may send in a minute. */
  readonly authFailureLimit: number;
  readonly timeouts: TimeoutSettings;
  readonly console: boolean;
  /** Whether there is an index for searches. */
  readonly search: boolean;
  /** Milliseconds for which changes are kept; 0 for no changes. */
  readonly changesKept: number;
  /** undefined without a key, and then without deliveries. */
  readonly webhooks: WebhookSettings | undefined;
  readonly tracing: TracingSettings | undefined;
  readonly log: LogSettings;
}

/** An identity provider, which speaks OpenID Connect or OAuth 2.0 with discovery (RFC 8414). */
export interface OidcSettings {
  /** To the character as its tokens name it in `iss`. */
  readonly issuer: string;
  /** What tokens for this service name in `aud`. */
  readonly audience: string;
  /** undefined means that the claim `scope` names the scopes of the service. */
  readonly grants: readonly ScopeGrant[] | undefined;
  /** As which the console, a public client (RFC 6749 section 2.1), signs people in. */
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

export interface DatabaseTimeouts {
  /** Milliseconds that a statement may take; on SQLite, that a write may wait for its turn. */
  readonly statementTimeout: number;
  /** Milliseconds after which a transaction is rolled back if nothing happens in it. */
  readonly idleInTransactionTimeout: number;
  /** Milliseconds after which a transaction on SQLite is rolled back, whatever happens in it: all other writes wait for its end. */
  readonly transactionTimeout: number;
}

/** The embedded database: one file, with its `-wal` and `-shm` companions beside it. */
export interface SqliteSettings extends DatabaseTimeouts {
  readonly type: 'sqlite';
  /** Absolute. */
  readonly path: string;
  /** Milliseconds to wait for a lock that another process holds. The wait blocks the whole event loop. */
  readonly lockTimeout: number;
}

/** A PostgreSQL server, or one that speaks its protocol, which any number of instances may share. */
export interface PostgresSettings extends DatabaseTimeouts {
  readonly type: 'postgres';
  /** With user, password and TLS parameters: not to be shown. */
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds to wait for a connection: a new one, or one of the pool to become free. */
  readonly connectTimeout: number;
}

export interface BackupSettings {
  /** Absolute path of a folder that belongs to this store alone. */
  readonly folder: string;
  /** Milliseconds. */
  readonly interval: number;
  /** How many backups are kept. */
  readonly keep: number;
}

/** Milliseconds after which the service stops waiting for someone else. */
export interface TimeoutSettings {
  /** From the first byte of a request to the end of its headers. */
  readonly headers: number;
  /** From the first byte of a request to the end of its body, and for its response to be taken; where they stream, without any progress. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly keepAlive: number;
  /** From the stop signal, when readiness fails, until the service takes no new work. */
  readonly shutdownDelay: number;
  /** From then until connections that are still open are cut. */
  readonly shutdown: number;
}

export interface WebhookSettings {
  /** From which the secret of each webhook is derived. */
  readonly key: string;
  /** Addresses and ranges that webhooks may reach although they are not public. */
  readonly addresses: readonly string[];
  /** Milliseconds between two looks for webhooks that no instance delivers. */
  readonly look: number;
  /** Milliseconds after which another instance takes over the webhooks of one that has stopped looking. */
  readonly lease: number;
  /** Milliseconds that a request may take. */
  readonly timeout: number;
  /** Milliseconds until the second attempt, and between two at most. */
  readonly retry: { readonly least: number; readonly most: number };
}

export interface TracingSettings {
  /** Where spans go, as JSON of the OpenTelemetry protocol. */
  readonly url: string;
  /** Of the traces that begin here, from 0 to 1. */
  readonly ratio: number;
}

export interface LogSettings {
  readonly level: string;
  /** Coloured lines for a person, in place of JSON. */
  readonly isPretty: boolean;
  /** Milliseconds from which on a request is slow. */
  readonly slowRequest: number;
}
