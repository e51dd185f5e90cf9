import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last deliveries of each webhook, in a fixed number of slots that are written in turn. */
export class CreateWebhookDeliveries1763700000008 implements MigrationInterface {
  readonly name = 'CreateWebhookDeliveries1763700000008';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    const [int64, options] = isPostgres ? ['BIGINT', ''] : ['INTEGER', 'STRICT'];
    await queryRunner.query('ALTER TABLE webhooks ADD COLUMN slot INTEGER NOT NULL DEFAULT 0');
    await queryRunner.query(
      `CREATE TABLE webhook_deliveries (
        webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
        slot INTEGER NOT NULL,
        id TEXT NOT NULL,
        at TEXT NOT NULL,
        milliseconds INTEGER NOT NULL,
        changes INTEGER NOT NULL,
        after ${int64},
        cursor ${int64},
        status INTEGER,
        failure TEXT,
        response TEXT,
        PRIMARY KEY (webhook, slot)
      ) ${options}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhook_deliveries');
    await queryRunner.query('ALTER TABLE webhooks DROP COLUMN slot');
  }
}
