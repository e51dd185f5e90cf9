import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much light each plant needs. */
export class AddLight1763700001002 implements MigrationInterface {
  readonly name = 'AddLight1763700001002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE plants ADD light TEXT NOT NULL DEFAULT 'medium'");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE plants DROP COLUMN light');
  }
}
