import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes for lists of plants: by tag in the order of ids, and by the beginning of the name.
 *
 * They hold only the first 64 characters, because PostgreSQL limits the size of an index entry. Both databases compare texts byte
 * by byte, not by the rules of a language.
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
