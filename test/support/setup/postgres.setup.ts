import type { TestProject } from 'vitest/node';
import { dropDatabases, PostgresServer } from '../postgres-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The database that the tests of a project run on. */
    database: 'sqlite' | 'postgres';
    /** Whether tests that try many cases try all of them (`npm run test:long`). */
    isLong: boolean;
    /** Plants of a large store. */
    manyPlants: number;
    /** The server that tests make their databases on. */
    postgresServer: string;
  }
}

/** Provides the PostgreSQL that all test files of the project share, each test with a database of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The server is of this process, and lies where the workers of the project have their stores.
  Object.assign(process.env, project.config.env);
  const running = process.env['POSTGRES_SERVER'];
  if (running !== undefined) {
    project.provide('postgresServer', running);
    return () => dropDatabases(running);
  }
  const server = await PostgresServer.start();
  project.provide('postgresServer', server.url());
  return () => server.remove();
}
