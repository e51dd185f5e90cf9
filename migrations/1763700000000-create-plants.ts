import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The plants.
 *
 * Written by hand: only `INTEGER PRIMARY KEY` is the rowid, which is an exact int64, and only a STRICT table refuses
 * to store a value of another type.
 */
export class CreatePlants1763700000000 implements MigrationInterface {
  readonly name = 'CreatePlants1763700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE TABLE plants (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE plants');
  }
}
