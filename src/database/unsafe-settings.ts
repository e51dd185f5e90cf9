import type { DataSource } from 'typeorm';

const UNSAFE = `
  SELECT name FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
  ORDER BY name`;

/** The settings of a PostgreSQL that are off, and without which a commit may be lost when its machine fails. */
export async function unsafeSettings(dataSource: DataSource): Promise<string[]> {
  const settings = await dataSource.query<{ name: string }[]>(UNSAFE);
  return settings.map(({ name }) => name);
}
