import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Photos of plants, in parts. Both go with their plant. */
export class CreatePhotos1763700001003 implements MigrationInterface {
  readonly name = 'CreatePhotos1763700001003';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    const strict = isPostgres ? '' : 'STRICT';
    await queryRunner.query(
      `CREATE TABLE photos (
        id TEXT PRIMARY KEY NOT NULL,
        plant ${isPostgres ? 'bigint' : 'INTEGER'} NOT NULL REFERENCES plants ON DELETE CASCADE,
        type TEXT NOT NULL,
        size INTEGER
      ) ${strict}`,
    );
    await queryRunner.query('CREATE INDEX photos_by_plant ON photos (plant)');
    await queryRunner.query(
      `CREATE TABLE photo_parts (
        photo TEXT NOT NULL REFERENCES photos ON DELETE CASCADE,
        number INTEGER NOT NULL,
        bytes ${isPostgres ? 'bytea' : 'BLOB'} NOT NULL,
        PRIMARY KEY (photo, number)
      ) ${strict}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE photo_parts');
    await queryRunner.query('DROP TABLE photos');
  }
}
