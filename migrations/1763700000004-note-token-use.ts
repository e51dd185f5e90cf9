import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The day on which a token was last used, and the order in which tokens are listed. */
export class NoteTokenUse1763700000004 implements MigrationInterface {
  readonly name = 'NoteTokenUse1763700000004';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE access_tokens ADD COLUMN last_used_on TEXT');
    await queryRunner.query(
      'CREATE INDEX IF NOT EXISTS access_tokens_by_age ON access_tokens (created_at, id)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX access_tokens_by_age');
    await queryRunner.query('ALTER TABLE access_tokens DROP COLUMN last_used_on');
  }
}
