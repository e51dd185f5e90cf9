import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The waterings of plants, one at a moment. A plant stays as long as it has any. */
export class CreateWaterings1763700001001 implements MigrationInterface {
  readonly name = 'CreateWaterings1763700001001';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    const bytes = isPostgres ? 'COLLATE "C"' : '';
    await queryRunner.query(
      `CREATE TABLE waterings (
        id TEXT ${bytes} PRIMARY KEY NOT NULL,
        plant ${isPostgres ? 'bigint' : 'INTEGER'} NOT NULL REFERENCES plants,
        at TEXT ${bytes} NOT NULL,
        litres ${isPostgres ? 'double precision' : 'REAL'} NOT NULL,
        method TEXT NOT NULL,
        celsius ${isPostgres ? 'double precision' : 'REAL'}
      ) ${isPostgres ? '' : 'STRICT'}`,
    );
    await queryRunner.query('CREATE UNIQUE INDEX waterings_by_plant ON waterings (plant, at)');
    await queryRunner.query('CREATE INDEX waterings_by_time ON waterings (at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE waterings');
  }
}
