import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The principal that made or last resumed a webhook; null if the webhook is older than this column. */
export class NoteWebhookMaker1763700000006 implements MigrationInterface {
  readonly name = 'NoteWebhookMaker1763700000006';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhooks ADD COLUMN made_by TEXT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhooks DROP COLUMN made_by');
  }
}
