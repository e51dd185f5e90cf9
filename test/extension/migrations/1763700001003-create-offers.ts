import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Offers, with an index for each order: of all of them, and of those of one owner. */
export class CreateOffers1763700001003 implements MigrationInterface {
  readonly name = 'CreateOffers1763700001003';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    const [int64, bytes, strict] = isPostgres ? ['bigint', 'COLLATE "C"', ''] : ['INTEGER', '', 'STRICT'];
    await queryRunner.query(
      `CREATE TABLE offers (
        id ${int64} PRIMARY KEY NOT NULL,
        title TEXT NOT NULL,
        price ${int64},
        currency TEXT,
        owner TEXT ${bytes},
        clerk TEXT,
        state TEXT NOT NULL,
        CHECK ((price IS NULL) = (currency IS NULL))
      ) ${strict}`,
    );
    await queryRunner.query('CREATE INDEX offers_by_price ON offers (price, id)');
    await queryRunner.query('CREATE INDEX offers_of_owner ON offers (owner, id)');
    await queryRunner.query('CREATE INDEX offers_of_owner_by_price ON offers (owner, price, id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE offers');
  }
}
