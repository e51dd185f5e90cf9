import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What lists of plants look up: those with a tag, in the order of their ids, and those whose names begin alike.
 *
 * Only the first 64 characters: a name may be longer than what PostgreSQL takes into an index. It compares them byte by
 * byte, as SQLite does, and not by the rules of a language.
 */
export class IndexPlants1763700000002 implements MigrationInterface {
  readonly name = 'IndexPlants1763700000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    const collation = queryRunner.dataSource.options.type === 'postgres' ? 'COLLATE "C"' : '';
    await queryRunner.query(
      `CREATE INDEX plants_by_tag ON plants (substr(tag, 1, 64) ${collation}, id) WHERE tag IS NOT NULL`,
    );
    await queryRunner.query(`CREATE INDEX plants_by_name ON plants (substr(name, 1, 64) ${collation}, id)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX plants_by_name');
    await queryRunner.query('DROP INDEX plants_by_tag');
  }
}
