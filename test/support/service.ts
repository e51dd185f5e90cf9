import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/kernel/app/app.setup.js';
import { SETTINGS } from '../../src/app.module.js';
import { Configuration } from '../../src/kernel/config/configuration.js';
import { Settings } from '../../src/kernel/config/settings.js';
import { describeFailure } from '../../src/kernel/app/start.js';
import { createLogger } from '../../src/kernel/logging/create-logger.js';
import { PlantsModule } from '../../src/plants/plants.module.js';
import { emptyDatabase, type StoredPlant, type TestDatabase } from './database.js';

/** A token with every scope that every service started here accepts. */
export const TOKEN = 'a-token-for-the-tests';

/** The running service of one test, as a client and as its operator see it. */
export interface Service {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly port: number;
  readonly database: TestDatabase;
  /** Everything the service has written to its log, line by line. */
  readonly log: readonly string[];
  /** Sends a create: a text is sent as it is, anything else as JSON. */
  create(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request with the token; a body that is no text is sent as JSON. */
  send(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Record<string, string> },
  ): Promise<Answer>;
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** What the database holds, read past the service. */
  plants(): Promise<StoredPlant[]>;
  stop(): Promise<void>;
}

/** Settings of the kernel that no variable has, to reach a limit sooner. */
export type Changes = { readonly [Name in keyof Settings]?: Partial<Settings[Name]> };

/** Makes changes, or changes the settings of any feature. */
export type ChangeSettings = Changes | ((configuration: Configuration) => void);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, a list of its lines when it is NDJSON; undefined when it is neither. */
  readonly body: unknown;
}

/** Starts the service as it is shipped, on a free port and an empty store; it is stopped when the test is over. */
export async function startService(
  environment: Record<string, string> = {},
  database?: TestDatabase,
  changes: ChangeSettings = {},
): Promise<Service> {
  const store = database ?? (await emptyDatabase());
  const variables = { PORT: '0', DATABASE_URL: store.url, BOOTSTRAP_TOKEN: TOKEN };
  const configuration = new Configuration(SETTINGS, { ...variables, ...environment });
  const settings = configuration.get(Settings);
  changeSettings(configuration, changes);
  const log: string[] = [];
  const app = await createApp(configuration, createLogger(settings.log, { write: (line) => log.push(line) }));
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= app.close());
  onTestFinished(stop);
  await app.listen(settings.PORT, settings.HOST);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const request = async (path: string, init?: RequestInit) => readAnswer(await fetch(url + path, init));
  return {
    app,
    url,
    port,
    database: store,
    log,
    request,
    create: (body, headers) => request('/plants', createRequest(body, headers)),
    send: (method, path, { body, headers } = {}) =>
      request(path, { ...createRequest(body, headers), method }),
    plants: () => store.plants(),
    stop,
  };
}

/** Adds to what the module of plants has, for one test. */
export function extend(key: 'controllers' | 'imports' | 'providers', ...more: unknown[]): void {
  const before = (Reflect.getMetadata(key, PlantsModule) ?? []) as unknown[];
  Reflect.defineMetadata(key, [...before, ...more], PlantsModule);
  onTestFinished(() => Reflect.defineMetadata(key, before, PlantsModule));
}

/** The address of a file that cannot be: a bad setting is refused before anything is opened. */
const NOWHERE = 'sqlite:/dev/null/plant-store.db';

/** Starts the service as it is shipped, which has to fail; returns what its operator is told. */
export async function failedStart(environment: Record<string, string>): Promise<string> {
  const variables = { PORT: '0', DATABASE_URL: NOWHERE, BOOTSTRAP_TOKEN: TOKEN };
  try {
    const configuration = new Configuration(SETTINGS, { ...variables, ...environment });
    const { log } = configuration.get(Settings);
    const app = await createApp(configuration, createLogger(log, { write: () => undefined }));
    onTestFinished(() => app.close());
    await app.init();
  } catch (error) {
    return describeFailure(error);
  }
  throw new Error('The service has started.');
}

export function changeSettings(configuration: Configuration, changes: ChangeSettings): void {
  if (typeof changes === 'function') return changes(configuration);
  const settings = configuration.get(Settings);
  for (const [name, change] of Object.entries(changes) as [string, unknown][]) {
    const current: unknown = Reflect.get(settings, name);
    const value: unknown = typeof current === 'object' ? { ...current, ...Object(change) } : change;
    Object.defineProperty(settings, name, { value });
  }
}

/** A request that creates a plant; a header given as an empty text is left out. */
export function createRequest(body: unknown, headers: Record<string, string> = {}): RequestInit {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const all = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers };
  return {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    body: text as string,
  };
}

/** A request that imports plants: text and bytes are sent as they are, a list as a line of JSON each. */
export function importRequest(
  body: string | Uint8Array | readonly object[],
  headers: Record<string, string> = {},
): RequestInit {
  const lines = Array.isArray(body) ? body.map((plant) => `${JSON.stringify(plant)}\n`).join('') : body;
  return createRequest(lines, { 'Content-Type': 'application/x-ndjson', ...headers });
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parse(text, response.headers.get('content-type')),
  };
}

function parse(text: string, contentType: string | null): unknown {
  if (contentType?.startsWith('application/x-ndjson')) {
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  }
  return text !== '' && contentType?.startsWith('application/json') ? JSON.parse(text) : undefined;
}
