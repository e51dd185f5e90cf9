import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { extension } from './test/extension/plugin.js';

/** Linux keeps this folder in memory. It may be small in a container, and forbid programs, such as a copy of PostgreSQL. */
const MEMORY = '/dev/shm';
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  const isUsable =
    bavail * bsize > 4 * 2 ** 30 && !/ \/dev\/shm \S+ \S*noexec/.test(readFileSync('/proc/mounts', 'utf8'));
  // Each test has a store of its own, and waits for its commits. The long tests have theirs on the disk.
  if (isUsable) process.env['TMPDIR'] ??= MEMORY;
}

const test = {
  // Tests wait for processes and databases to start, on machines that may be slow.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  setupFiles: ['test/support/patience.setup.ts'],
};

/**
 * What is true of both databases; the folders `sqlite/` and `postgres/` of `test/` hold what is true of one, and `http/` and `project/` what has
 * nothing to do with them. A feature has a folder in `test/features/`, in which `.sqlite` or `.postgres` in the name of a file says so.
 */
const shared = [
  'test/*.test.ts',
  'test/{plants,store,tokens,upgrades,features/*}/!(*.postgres|*.sqlite).test.ts',
];

/** Tests of HTTP that need the extension, or try more with it. */
const WITH_EXTENSION = ['test/http/{allowed-requests,body-readers}.test.ts'];

export default defineConfig({
  test: {
    // Many tests wait: for processes, timers and the disk. Meanwhile another one has the core.
    maxWorkers: availableParallelism() + 1,
    // The files of a worker share what they import, such as NestJS and TypeORM, which takes a second to load.
    isolate: false,
    // Workers and the services that they start have most modules in common: V8 compiles each once.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/node') },
    projects: [
      {
        test: {
          ...test,
          name: 'sqlite',
          include: [
            ...shared,
            '{src,console/src}/**/*.spec.ts',
            'test/{http,project,sqlite}/*.test.ts',
            'test/features/*/*.sqlite.test.ts',
          ],
          // The project extension-sqlite runs them.
          exclude: WITH_EXTENSION,
          provide: { database: 'sqlite', isLong: false },
        },
      },
      ...(['sqlite', 'postgres'] as const).map((database) => ({
        plugins: [extension],
        test: {
          ...test,
          name: `extension-${database}`,
          // Another field changes no test of plants; those of the command line run the service as it is built.
          include: [
            'test/extension/*.test.ts',
            ...(database === 'sqlite'
              ? [...WITH_EXTENSION, 'test/plants/{create,get,list,patch,put}-plant*.test.ts']
              : []),
          ],
          provide: { database, isLong: false },
          globalSetup: database === 'postgres' ? ['test/support/postgres.setup.ts'] : [],
        },
      })),
      {
        test: {
          ...test,
          name: 'postgres',
          include: [...shared, 'test/postgres/*.test.ts', 'test/features/*/*.postgres.test.ts'],
          provide: { database: 'postgres', isLong: false, manyPlants: 30_000 },
          globalSetup: ['test/support/postgres.setup.ts'],
        },
      },
    ],
  },
});
