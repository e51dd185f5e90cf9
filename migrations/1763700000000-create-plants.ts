import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The plants. The key is the only uniqueness, so that a distributed engine can spread them by `id`.
 *
 * Written by hand: on SQLite only `INTEGER PRIMARY KEY` is the rowid, which is an exact int64, and only a STRICT table
 * refuses to store a value of another type.
 */
export class CreatePlants1763700000000 implements MigrationInterface {
  readonly name = 'CreatePlants1763700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    await queryRunner.query(
      isPostgres
        ? 'CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)'
        : 'CREATE TABLE plants (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE plants');
  }
}
