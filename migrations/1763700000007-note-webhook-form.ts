import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a webhook sends int64s as strings. */
export class NoteWebhookForm1763700000007 implements MigrationInterface {
  readonly name = 'NoteWebhookForm1763700000007';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    const [type, none] = isPostgres ? ['BOOLEAN', 'false'] : ['INTEGER', '0'];
    await queryRunner.query(
      `ALTER TABLE webhooks ADD COLUMN ieee754_compatible ${type} NOT NULL DEFAULT ${none}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhooks DROP COLUMN ieee754_compatible');
  }
}
