import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { extension } from './test/extension/plugin.js';

type Test = NonNullable<TestProjectInlineConfiguration['test']>;

/** What is true of both databases; `sqlite/` and `postgres/` hold what is true of one, as `.sqlite` and `.postgres` say in a feature's folder. */
const SHARED = [
  'test/*.test.ts',
  'test/{plants,store,upgrades,features/*}/!(*.postgres|*.sqlite|*.long).test.ts',
];

/** Tries more with the extension. */
const WITH_EXTENSION = ['test/http/allowed-requests.test.ts'];

/** What depends on the database least, and costs most: `npm test` runs it on SQLite, `npm run test:postgres` on PostgreSQL. */
const ON_SQLITE_FIRST = [
  'test/hostile-inputs.test.ts',
  'test/features/webhooks/{deliveries,delivery}.test.ts',
  'test/features/changes/changes.test.ts',
  'test/features/{batch,search,transfer}/!(*.sqlite|*.long).test.ts',
];

/** Of a cluster, for which `npm test` has no time. */
const CITUS = 'test/features/citus/*.postgres.test.ts';

/** Each test has a store of its own, and waits for its commits: in memory they take no time. */
const FAST = { env: { TMPDIR: fastFolder() } };

/** One file at a time: each keeps every core busy, measures, or needs something that there is once. */
const ALONE = { fileParallelism: false, isolate: true };

const MINUTES = 60_000;

/** Linux keeps `/dev/shm` in memory. It may be small in a container, and forbid programs, such as a copy of PostgreSQL. */
function fastFolder(): string {
  const memory = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const isUsable =
    bavail * bsize > 4 * 2 ** 30 && !/ \/dev\/shm \S+ \S*noexec/.test(readFileSync('/proc/mounts', 'utf8'));
  return isUsable ? memory : tmpdir();
}

const DATABASES = ['sqlite', 'postgres'] as const;

/** Runs tests on a database; those on PostgreSQL share a server. */
function on(database: (typeof DATABASES)[number], provide: NonNullable<Test['provide']> = {}): Test {
  return {
    provide: { ...provide, database },
    globalSetup: database === 'postgres' ? ['test/support/setup/postgres.setup.ts'] : [],
  };
}

export default defineConfig({
  // Projects have all of this, and what they say themselves.
  test: {
    // Many tests wait: for processes, timers and the disk. Meanwhile another one has the core.
    maxWorkers: availableParallelism() + 2,
    // The files of a worker share what they import, such as NestJS and TypeORM, which takes a second to load.
    isolate: false,
    // Workers and the services that they start have most modules in common: V8 compiles each once.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/node') },
    // Tests wait for processes and databases to start, on machines that may be slow.
    testTimeout: MINUTES,
    hookTimeout: MINUTES,
    setupFiles: ['test/support/setup/patience.setup.ts', 'test/support/setup/fields.setup.ts'],
    provide: { database: 'sqlite', isLong: false, manyPlants: 30_000 },
    projects: [
      // npm test
      {
        test: {
          ...FAST,
          ...on('sqlite'),
          name: 'sqlite',
          include: [
            ...SHARED,
            '{src,console/src}/**/*.spec.ts',
            'test/{http,project,sqlite}/*.test.ts',
            'test/features/*/*.sqlite.test.ts',
          ],
          exclude: WITH_EXTENSION,
        },
      },
      {
        test: {
          ...FAST,
          ...on('postgres'),
          name: 'postgres',
          include: [...SHARED, 'test/postgres/*.test.ts', 'test/features/*/*.postgres.test.ts'],
          exclude: [...ON_SQLITE_FIRST, CITUS],
        },
      },
      ...DATABASES.map((database) => ({
        plugins: [extension],
        test: {
          ...FAST,
          ...on(database),
          name: `extension-${database}`,
          include: [
            'test/extension/*.test.ts',
            // Another field changes no test of plants. `npm test` does not need to know.
            ...(database === 'sqlite'
              ? WITH_EXTENSION
              : ['test/plants/{create,get,list,patch,put}-plant*.test.ts']),
          ],
        },
      })),
      // npm run test:long, test:contract, test:hold
      ...DATABASES.flatMap((database) => [
        {
          test: {
            ...ALONE,
            ...on(database, { isLong: true }),
            name: `long-${database}`,
            include: [
              'test/long/*.test.ts',
              'test/features/*/*.long.test.ts',
              'test/features/changes/writers.test.ts',
              'test/hostile-inputs.test.ts',
              ...(database === 'sqlite' ? ['test/http/allowed-requests.test.ts'] : []),
            ],
          },
        },
        {
          test: {
            ...ALONE,
            ...on(database),
            name: `contract-${database}`,
            include: ['test/contract/*.test.ts'],
            testTimeout: 10 * MINUTES,
          },
        },
        {
          test: {
            ...ALONE,
            ...on(database),
            name: `hold-${database}`,
            include: ['test/hold/*.test.ts'],
            testTimeout: 30 * MINUTES,
            // Each phase shows its line when it is over.
            disableConsoleIntercept: true,
          },
        },
      ]),
      // npm run test:postgres
      {
        test: {
          ...on('postgres', { manyPlants: 1_000_000 }),
          name: 'postgres-15',
          // What a version of PostgreSQL decides.
          include: [
            ...ON_SQLITE_FIRST,
            'test/model.test.ts',
            'test/{plants,store}/*.test.ts',
            'test/features/changes/!(*.sqlite|*.long).test.ts',
            CITUS,
            'test/postgres/{instances,query-plans}.test.ts',
          ],
          env: { POSTGRES_FOLDER: '/usr/lib/postgresql/15' },
        },
      },
      // npm run test:console, test:react-admin, test:clients, test:monitoring, test:proxies, test:containers
      {
        test: {
          name: 'console',
          include: ['test/features/console/browser/**/*.test.ts'],
          globalSetup: ['test/support/setup/browser.setup.ts'],
          expect: { poll: { timeout: 15_000 } },
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
          // A browser on a busy machine may be late once; the report names the test. What is broken fails twice.
          retry: 1,
        },
      },
      {
        test: {
          ...ALONE,
          name: 'react-admin',
          include: ['test/react-admin/*.test.ts'],
          globalSetup: ['test/support/setup/browser.setup.ts'],
        },
      },
      {
        test: {
          ...ALONE,
          ...on('sqlite'),
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          globalSetup: ['test/support/setup/browser.setup.ts'],
          testTimeout: 5 * MINUTES,
          hookTimeout: 5 * MINUTES,
        },
      },
      {
        test: {
          ...ALONE,
          ...on('postgres'),
          name: 'monitoring',
          include: ['test/features/metrics/monitoring/*.test.ts'],
          testTimeout: 2 * MINUTES,
        },
      },
      { test: { ...ALONE, name: 'proxies', include: ['test/proxies/*.test.ts'] } },
      {
        test: {
          ...ALONE,
          name: 'containers',
          include: ['test/containers/*.test.ts'],
          testTimeout: 10 * MINUTES,
          hookTimeout: 10 * MINUTES,
        },
      },
    ],
  },
});
