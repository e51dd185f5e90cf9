import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Whether the caller is in the function of a `transaction()` of TypeORM. */
export function isInTransaction(): boolean {
  return current.getStore()?.isOpen === true;
}

/** Makes the transactions of an entity manager known to `isInTransaction()`. */
export function markingTransactions(manager: EntityManager): EntityManager {
  const begin = manager.transaction.bind(manager) as (...parameters: unknown[]) => Promise<unknown>;
  const transaction = async (...parameters: unknown[]) => {
    const marked = { isOpen: true };
    return current.run(marked, () => begin(...parameters).finally(() => (marked.isOpen = false)));
  };
  return Object.assign(manager, { transaction });
}
