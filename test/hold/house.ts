import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { emptyDatabase } from '../support/database.js';
import { Random } from '../model/random.js';
import { run, runService, type ServiceProcess } from '../support/running-process.js';
import { TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { STORE, takeExport } from './attacks.js';
import type { ClientQuestion, Experience, Work } from './good-client.js';
import { Target } from './hostile.js';
import { Watch } from './watch.js';

/** The service to attack, as the path of its `main.js`; by default the one of this project. */
const SERVICE = process.env['SERVICE'] ?? fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** Connections to PostgreSQL that the service has at most, those of exports included. */
export const POOL_SIZE = 10;
/** Exports that may run at a time. */
const EXPORTS = 3;
/** How long a stop waits for requests. */
export const SHUTDOWN_TIMEOUT_MS = 8_000;

/** Shorter than by default, so that the phases do not wait long for clients that stand still. */
const SETTINGS = {
  REQUEST_TIMEOUT_MS: '1500',
  KEEP_ALIVE_TIMEOUT_MS: '2000',
  DATABASE_POOL_SIZE: String(POOL_SIZE),
};

/** Creates and reads a second, and the connections on which they are made. */
const GOOD_WORK = { perSecond: 50, connections: 16 };

/** A service in production on a store of its own, somebody who uses it well, and somebody who watches it. */
export interface House {
  readonly service: ServiceProcess;
  readonly port: number;
  readonly watch: Watch;
  readonly client: GoodClient;
  /** A token of the hostile clients. */
  readonly hostileToken: string;
  /** Ends it all at once. */
  close(): Promise<void>;
}

/** Opens a house; it is gone when the test is over. */
export async function openHouse(): Promise<House> {
  const database = await emptyDatabase();
  const built = dirname(SERVICE);
  const watched = ['--expose-gc', '--import', new URL('loop-watch.ts', import.meta.url).href];
  const service = await runService(
    temporaryFolder(),
    { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN, ...SETTINGS },
    {
      built,
      flags: [
        '--max-semi-space-size=32',
        '--no-allocation-site-pretenuring',
        '--heap-growing-percent=30',
        ...watched,
      ],
      exchangesMessages: true,
    },
  );
  await database.execute(STORE[inject('database')]);
  const create = ['token', 'create', '--name', 'hostile'];
  const made = run(
    'kernel/cli/plant-store.js',
    create,
    temporaryFolder(),
    { DATABASE_URL: database.url },
    { built },
  );
  await made.exited;
  const { secret } = JSON.parse(made.stdout()) as { secret: string };
  const port = Number(new URL(service.url).port);
  // SQLite keeps the descriptors of closed connections for the next ones, because a file loses its locks with any descriptor
  // that is closed: from now on they are all there.
  const hostile = new Target(port, secret, new Random(1), 1);
  await hostile.times(EXPORTS, async () => takeExport(hostile));
  const client = await startGoodClient({ url: service.url, firstId: String(2n ** 60n), ...GOOD_WORK });
  const server = inject('database') === 'postgres' ? inject('postgresServer') : undefined;
  return {
    service,
    port,
    watch: new Watch(service, database.url, server),
    client,
    hostileToken: secret,
    close: async () => {
      client.close();
      service.child.kill('SIGKILL');
      await service.exited;
    },
  };
}

/** The process of a well-behaved client. */
export type GoodClient = Awaited<ReturnType<typeof startGoodClient>>;

/** Starts a well-behaved client, and waits until it has its connections. */
export async function startGoodClient(work: Omit<Work, 'token'>) {
  const file = fileURLToPath(new URL('good-client.ts', import.meta.url));
  const child = fork(file, [JSON.stringify({ ...work, token: TOKEN } satisfies Work)], { execArgv: [] });
  const close = () => void child.kill('SIGKILL');
  onTestFinished(close);
  await once(child, 'message');
  const ask = async <Answer>(question: ClientQuestion): Promise<Answer> => {
    child.send(question);
    const [answer] = (await once(child, 'message')) as [Answer];
    return answer;
  };
  return {
    /** What it has seen since it was last asked for that. */
    experience: async () => ask<Experience>('report'),
    /** The number of its requests that have no answer yet. */
    waiting: async () => ask<number>('waiting'),
    close,
  };
}
