import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { unsafeSettings } from './unsafe-settings.js';

/** Warns at start of a PostgreSQL that would not keep what the service acknowledges. SQLite is told to by the service. */
@Injectable()
export class DurabilityCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger(DurabilityCheck.name);

  constructor(private readonly dataSource: DataSource) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.dataSource.options.type !== 'postgres') return;
    const unsafe = await unsafeSettings(this.dataSource);
    if (unsafe.length === 0) return;
    this.logger.warn(
      `PostgreSQL runs without ${unsafe.join(', ')}: plants that were acknowledged may be lost when its machine fails.`,
    );
  }
}
