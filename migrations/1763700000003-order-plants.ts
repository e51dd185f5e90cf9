import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sorts lists of plants with a tag by name, like all lists with a filter. */
export class OrderPlants1763700000003 implements MigrationInterface {
  readonly name = 'OrderPlants1763700000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    const collation = queryRunner.dataSource.options.type === 'postgres' ? 'COLLATE "C"' : '';
    await queryRunner.query('DROP INDEX plants_by_tag');
    await queryRunner.query(
      `CREATE INDEX plants_by_tag
       ON plants (substr(tag, 1, 64) ${collation}, substr(name, 1, 64) ${collation}, id) WHERE tag IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const collation = queryRunner.dataSource.options.type === 'postgres' ? 'COLLATE "C"' : '';
    await queryRunner.query('DROP INDEX plants_by_tag');
    await queryRunner.query(
      `CREATE INDEX plants_by_tag ON plants (substr(tag, 1, 64) ${collation}, id) WHERE tag IS NOT NULL`,
    );
  }
}
