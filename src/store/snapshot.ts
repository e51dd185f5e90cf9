import type { DataSource } from 'typeorm';
import type { Queries } from './rows.js';

/**
 * Lets `read` see the database as it is when it begins, on a connection of its own.
 *
 * On SQLite nobody else may use the data source for the time: a transaction belongs to the connection, of which there is one.
 */
export async function* withSnapshot<Item>(
  dataSource: DataSource,
  read: (queries: Queries) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const isPostgres = dataSource.options.type === 'postgres';
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction(isPostgres ? 'REPEATABLE READ' : undefined);
    // Whoever reads may take a while over a page.
    if (isPostgres) await queryRunner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    yield* read(queryRunner);
    await queryRunner.commitTransaction();
  } finally {
    // Whoever reads may stop before the end. A connection that is lost has ended its transaction.
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    await queryRunner.release();
  }
}
