import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The access tokens, by the digest of their secret; times are ISO 8601 in UTC, as text in every database. */
export class CreateAccessTokens1763700000001 implements MigrationInterface {
  readonly name = 'CreateAccessTokens1763700000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    await queryRunner.query(
      `CREATE TABLE access_tokens (
        id TEXT PRIMARY KEY NOT NULL,
        name TEXT NOT NULL,
        digest TEXT NOT NULL UNIQUE,
        scopes TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT
      ) ${isPostgres ? '' : 'STRICT'}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE access_tokens');
  }
}
