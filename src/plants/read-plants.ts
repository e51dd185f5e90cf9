import type { DataSource, EntityManager } from 'typeorm';

/** A row of `plants` as it is read: the id as text, which keeps every digit. */
export interface PlantRow {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

const MIN_ID = -(2n ** 63n);
const MAX_ID = 2n ** 63n - 1n;

/** Rows that a page has at most. */
const PAGE_ROWS = 1000;

/** Bytes of text after which a page ends: names may be large. */
const PAGE_BYTES = 262_144;

/**
 * The next rows by id. The cost does not depend on how many rows come before.
 *
 * Where the page ends is found by the lengths alone, which both databases know without reading the texts. Ids come as text:
 * a JavaScript number would round them.
 */
const PAGE = {
  sqlite: page('?', '?', '?'),
  postgres: page('$1', '$2', '$3'),
};

function page(least: string, rows: string, bytes: string): string {
  return `
    WITH page AS (
      SELECT id, octet_length(name) + coalesce(octet_length(tag), 0) AS bytes
      FROM plants WHERE id >= ${least} ORDER BY id LIMIT ${rows})
    SELECT CAST(id AS TEXT) AS id, name, tag
    FROM plants
    WHERE id >= (SELECT min(id) FROM page) AND id <= (
      SELECT max(id)
      FROM (SELECT id, sum(bytes) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
            FROM page) AS measured
      WHERE bytes_before IS NULL OR bytes_before < ${bytes})
    ORDER BY plants.id`;
}

/** The plants with these ids, in any order. */
const BY_ID = {
  sqlite: `SELECT CAST(id AS TEXT) AS id, name, tag FROM plants WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(?))`,
  postgres: 'SELECT CAST(id AS TEXT) AS id, name, tag FROM plants WHERE id = ANY ($1::bigint[])',
};

/** Finds the plants that have these ids. */
export async function findPlants(manager: EntityManager, ids: readonly bigint[]): Promise<PlantRow[]> {
  if (ids.length === 0) return [];
  const texts = ids.map(String);
  return manager.dataSource.options.type === 'postgres'
    ? manager.query<PlantRow[]>(BY_ID.postgres, [texts])
    : manager.query<PlantRow[]>(BY_ID.sqlite, [JSON.stringify(texts)]);
}

/**
 * Reads every plant whose id is greater than `after`, in ascending id, page by page, as the store was when it began.
 *
 * On SQLite nobody else may use the data source for the time: a transaction belongs to the connection, of which there is one.
 */
export async function* readPlants(dataSource: DataSource, after?: bigint): AsyncGenerator<PlantRow[]> {
  const isPostgres = dataSource.options.type === 'postgres';
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction(isPostgres ? 'REPEATABLE READ' : undefined);
    // Whoever reads may take a while over a page.
    if (isPostgres) await queryRunner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const sql = isPostgres ? PAGE.postgres : PAGE.sqlite;
    let least = after === undefined ? MIN_ID : after + 1n;
    while (least <= MAX_ID) {
      const rows = (await queryRunner.query(sql, [String(least), PAGE_ROWS, PAGE_BYTES])) as PlantRow[];
      const last = rows.at(-1);
      if (last === undefined) break;
      yield rows;
      least = BigInt(last.id) + 1n;
    }
    await queryRunner.commitTransaction();
  } finally {
    // Whoever reads may stop before the end. A connection that is lost has ended its transaction.
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    await queryRunner.release();
  }
}
