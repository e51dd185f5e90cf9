import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The webhooks, each with its cursor in the changes and the instance that delivers it. */
export class CreateWebhooks1763700000005 implements MigrationInterface {
  readonly name = 'CreateWebhooks1763700000005';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    await queryRunner.query(
      `CREATE TABLE webhooks (
        id TEXT PRIMARY KEY NOT NULL,
        url TEXT NOT NULL,
        resource TEXT NOT NULL,
        kinds TEXT NOT NULL,
        generation INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        rotated_at TEXT,
        state TEXT NOT NULL,
        cursor ${isPostgres ? 'BIGINT' : 'INTEGER'} NOT NULL,
        next_attempt_at TEXT,
        failing_since TEXT,
        last_success_at TEXT,
        last_failure_at TEXT,
        last_failure TEXT,
        lease_holder TEXT NOT NULL,
        lease_until TEXT NOT NULL
      ) ${isPostgres ? '' : 'STRICT'}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhooks');
  }
}
