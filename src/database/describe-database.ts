import type { DatabaseSettings } from '../config/settings.js';

/** Names the database for a person, without the credentials and parameters of its address. */
export function describeDatabase(database: DatabaseSettings): string {
  if (database.type === 'sqlite') return database.path;
  const { host, pathname } = new URL(database.url);
  return `PostgreSQL at ${host}${pathname}`;
}
