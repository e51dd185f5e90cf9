import { AsyncLocalStorage } from 'node:async_hooks';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Whether the caller is in the function of a `transaction()` of TypeORM. */
export function isInTransaction(): boolean {
  return current.getStore()?.isOpen === true;
}

/** A data source whose transactions `isInTransaction()` knows. It is the one of PostgreSQL. */
export class StoreDataSource extends DataSource {
  override createEntityManager(queryRunner?: QueryRunner): EntityManager {
    const manager = super.createEntityManager(queryRunner);
    const begin = manager.transaction.bind(manager) as (...parameters: unknown[]) => Promise<unknown>;
    const transaction = async (...parameters: unknown[]) => {
      const marked = { isOpen: true };
      return current.run(marked, () => begin(...parameters).finally(() => (marked.isOpen = false)));
    };
    return Object.assign(manager, { transaction });
  }

  /** Reads the entities without the database. @throws TypeORMError when one of them is wrong. */
  describeEntities(): Promise<void> {
    return this.buildMetadatas();
  }
}
