import type { DataSource } from 'typeorm';
import { readSettings } from '../config/environment.js';
import { loadEnvironment } from '../config/load-environment.js';
import type { Settings } from '../config/settings.js';
import { openDataSource } from '../database/open-data-source.js';

/** Opens the database, lets `work` have it, and closes it whatever happens. */
export async function withDataSource<Result>(
  work: (dataSource: DataSource, settings: Settings) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(loadEnvironment());
  const dataSource = await openDataSource(settings);
  try {
    return await work(dataSource, settings);
  } finally {
    await dataSource.destroy();
  }
}
