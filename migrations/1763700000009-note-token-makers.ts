import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The callers that created and revoked a token; null for a command, and for what is older than these columns. */
export class NoteTokenMakers1763700000009 implements MigrationInterface {
  readonly name = 'NoteTokenMakers1763700000009';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE access_tokens ADD COLUMN created_by TEXT');
    await queryRunner.query('ALTER TABLE access_tokens ADD COLUMN revoked_by TEXT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE access_tokens DROP COLUMN revoked_by');
    await queryRunner.query('ALTER TABLE access_tokens DROP COLUMN created_by');
  }
}
