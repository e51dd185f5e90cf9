import { AsyncLocalStorage } from 'node:async_hooks';

const requestIds = new AsyncLocalStorage<string>();

/** Runs `work`, and everything it starts, on behalf of the request with this id. */
export function runWithRequestId(id: string, work: () => void): void {
  requestIds.run(id, work);
}

/** The id of the request on whose behalf the caller runs; undefined outside of any. */
export function currentRequestId(): string | undefined {
  return requestIds.getStore();
}
