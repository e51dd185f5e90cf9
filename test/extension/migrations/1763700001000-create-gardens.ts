import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gardens, and which plants are in which: a plant may be in many. */
export class CreateGardens1763700001000 implements MigrationInterface {
  readonly name = 'CreateGardens1763700001000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    const [bytes, strict] = isPostgres ? ['COLLATE "C"', ''] : ['', 'STRICT'];
    await queryRunner.query(
      `CREATE TABLE gardens (name TEXT ${bytes} PRIMARY KEY NOT NULL, note TEXT CHECK (note <> '')) ${strict}`,
    );
    await queryRunner.query(
      `CREATE TABLE garden_plants (
        garden TEXT ${bytes} NOT NULL REFERENCES gardens ON DELETE CASCADE,
        plant ${isPostgres ? 'bigint' : 'INTEGER'} NOT NULL REFERENCES plants ON DELETE CASCADE,
        PRIMARY KEY (garden, plant)
      ) ${strict}`,
    );
    await queryRunner.query('CREATE INDEX garden_plants_by_plant ON garden_plants (plant)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE garden_plants');
    await queryRunner.query('DROP TABLE gardens');
  }
}
