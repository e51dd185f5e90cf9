import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who writes, for triggers of SQLite. No rows are ever committed. PostgreSQL has a setting of the transaction instead. */
export class CreateCurrentWriters1763700000009 implements MigrationInterface {
  readonly name = 'CreateCurrentWriters1763700000009';

  async up(queryRunner: QueryRunner): Promise<void> {
    if (queryRunner.dataSource.options.type !== 'postgres')
      await queryRunner.query(
        'CREATE TABLE current_writers (key TEXT PRIMARY KEY NOT NULL, writer TEXT NOT NULL) STRICT, WITHOUT ROWID',
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS current_writers');
  }
}
