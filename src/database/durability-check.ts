import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Settings of PostgreSQL without which a commit may be lost when its machine fails. */
const UNSAFE = `
  SELECT name FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
  ORDER BY name`;

/** Warns at start of a PostgreSQL that would not keep what the service acknowledges. SQLite is told to by the service. */
@Injectable()
export class DurabilityCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger(DurabilityCheck.name);

  constructor(private readonly dataSource: DataSource) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.dataSource.options.type !== 'postgres') return;
    const unsafe = await this.dataSource.query<{ name: string }[]>(UNSAFE);
    if (unsafe.length === 0) return;
    const names = unsafe.map(({ name }) => name).join(', ');
    this.logger.warn(
      `PostgreSQL runs without ${names}: plants that were acknowledged may be lost when its machine fails.`,
    );
  }
}
