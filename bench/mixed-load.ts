import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from './servers.js';

const CONNECTIONS = 16;
const IMPORT_LINES = 500;
/** Plants that are kept: as many are deleted as come beyond, so that the store does not grow. */
const KEPT = 50_000;
/** Milliseconds within which a client goes away that does so. */
const MAX_PATIENCE_MS = 5;

/** What a load has done so far: answers by operation, and those that were not as they should be. */
export interface MixedLoad {
  readonly counts: Record<string, number>;
  readonly wrong: string[];
  /** Resolves when all clients have stopped. */
  readonly ended: Promise<void>;
}

/** Clients that create, read, list, delete and import plants, and some that go away in the middle, until `signal` aborts. */
export function mixedLoad({ url, token }: ServerProcess, signal: AbortSignal): MixedLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const counts: Record<string, number> = {};
  const wrong: string[] = [];
  let next = 1;
  let oldest = 1;
  const open = (method: string, path: string, type = 'application/json'): ClientRequest =>
    request(url + path, {
      method,
      agent,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });
  const some = (): number => oldest + Math.floor(Math.random() * (next - oldest));
  const plant = (): string =>
    JSON.stringify({ id: next++, name: `Monstera ${next}`, tag: `tag ${next % 97}` });

  const operations: Record<string, () => Promise<void>> = {
    create: async () => expectStatus(open('POST', '/plants'), [200], plant()),
    // Another client may create or delete it at the same moment.
    read: async () => expectStatus(open('GET', `/plants/${some()}`), [200, 404]),
    list: async () => expectStatus(open('GET', `/plants?limit=100&after=${some()}`), [200]),
    delete: async () =>
      next - oldest > KEPT ? expectStatus(open('DELETE', `/plants/${oldest++}`), [204, 404]) : undefined,
    import: async () => {
      const lines = Array.from({ length: IMPORT_LINES }, plant).join('\n');
      await expectStatus(open('POST', '/plants/import', 'application/x-ndjson'), [200], lines);
      const last = Math.max(oldest, next - KEPT);
      while (oldest < last) await expectStatus(open('DELETE', `/plants/${oldest++}`), [204, 404]);
    },
    'aborted create': async () => abort(open('POST', '/plants').setHeader('Content-Length', 1000), '{"id":'),
    'aborted list': async () => abort(open('GET', '/plants?limit=1000')),
    'aborted export': async () => abort(open('GET', '/plants/export')),
  };
  /** Of 100 operations so many are of a kind. */
  const shares: Record<string, number> = { create: 45, read: 30, list: 12, delete: 5, import: 1 };
  const names = Object.keys(operations).flatMap((name) => Array<string>(shares[name] ?? 2).fill(name));

  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      const name = names[Math.floor(Math.random() * names.length)] ?? '';
      try {
        await operations[name]?.();
        counts[name] = (counts[name] ?? 0) + 1;
      } catch (error) {
        wrong.push(`${name}: ${String(error)}`);
      }
    }
  };
  const ended = Promise.all(Array.from({ length: CONNECTIONS }, client)).then(() => agent.destroy());
  return { counts, wrong, ended };
}

async function expectStatus(sent: ClientRequest, expected: readonly number[], body?: string): Promise<void> {
  const status = await new Promise<number>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    sent.end(body);
  });
  if (!expected.includes(status)) throw new Error(`${status}`);
}

/** Goes away after a few milliseconds, whatever has been answered until then. */
async function abort(sent: ClientRequest, part = ''): Promise<void> {
  sent
    .on('error', () => undefined)
    .on('response', (response) => response.on('error', () => undefined).resume());
  sent.write(part);
  await sleep(Math.random() * MAX_PATIENCE_MS);
  sent.destroy();
}
