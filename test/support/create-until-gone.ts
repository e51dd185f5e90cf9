import { expect } from 'vitest';
import { plant } from './plants.js';
import { createRequest } from './service.js';

/** Creates plants over connections until the service is gone; `sent` and `acknowledged` get their ids. */
export async function createUntilGone(
  url: string,
  { firstId, connections }: { readonly firstId: number; readonly connections: number },
  sent: Set<bigint>,
  acknowledged: Set<bigint>,
): Promise<void> {
  let nextId = firstId;
  const client = async () => {
    for (;;) {
      const id = nextId++;
      sent.add(BigInt(id));
      const response = await fetch(`${url}/plants`, createRequest(plant(id))).catch(() => undefined);
      if (response === undefined) return;
      expect(response.status).toBe(200);
      acknowledged.add(BigInt(id));
      await response.arrayBuffer().catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}
