import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { type Operation, step } from './model/arbitrary-operations.js';
import { answer, type Expected, type Plants, type Request } from './model/plant-model.js';
import { type Service, startService } from './support/service.js';
import { OTHER_FIELDS } from './support/plants.js';

/** Sequences of steps that are tried. */
const RUNS = 50;

/** The log of thousands of requests would only take time. */
const QUIET = { LOG_LEVEL: 'silent', SEARCH: 'on' };

/** A tag in the form of those of the service, which stands for nothing. */
const UNKNOWN = '"0123456789abcdef0123456789abcdef"';

/** The statuses that each kind of operation may be answered with. */
const STATUSES = {
  create: [200, 400],
  put: [200, 201, 412],
  patch: [200, 404, 412],
  delete: [204, 404, 412],
  read: [200, 304, 404],
  list: [200, 400],
};
const ANSWERS = Object.entries(STATUSES).flatMap(([kind, statuses]) =>
  statuses.map((status) => `${kind} ${status}`),
);

/** One client's steps that get the answers which random ones get seldom. */
const RARE: Operation[] = [
  { kind: 'create', id: 1n, content: { name: 'Aloe' } },
  { kind: 'read', id: 1n, condition: 'current' },
  { kind: 'read', id: 1n, condition: 'none' },
  { kind: 'patch', id: 1n, patch: { name: 'Fern' }, condition: 'none' },
  { kind: 'patch', id: 1n, patch: { name: 'Fern' } },
  { kind: 'delete', id: 1n, condition: 'none' },
  { kind: 'delete', id: 1n, condition: 'current' },
];

const METHODS = { create: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE', read: 'GET', list: 'GET' };

interface Exchange {
  readonly request: Request;
  readonly observed: Expected;
}

async function send(service: Service, request: Request): Promise<Expected> {
  const answered = await service.send(METHODS[request.kind], pathOf(request), {
    body: bodyOf(request),
    headers: headersOf(request),
  });
  const { status, headers, text } = answered;
  const body: unknown = text === '' ? undefined : JSON.parse(text, withExactIds);
  return {
    status,
    ...(status >= 400 ? { error: (body as { error: number }).error } : body !== undefined && { body }),
    ...(headers.has('ETag') && { hasTag: true }),
    ...(request.kind === 'list' && status === 200 && { hasMore: headers.has('Link') }),
    ...(headers.has('X-Total-Count') && { total: Number(headers.get('X-Total-Count')) }),
  };
}

function withExactIds(name: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (OTHER_FIELDS.has(name)) return undefined;
  return name === 'id' ? BigInt(source) : value;
}

function pathOf(request: Request): string {
  if (request.kind !== 'list') return request.kind === 'create' ? '/plants' : `/plants/${request.id}`;
  const query = Object.entries(request.query).map(([name, value]): [string, string] => [name, String(value)]);
  return `/plants?${new URLSearchParams(query).toString()}`;
}

function bodyOf(request: Request): object | undefined {
  if (request.kind === 'create') return { id: JSON.rawJSON(String(request.id)), ...request.content };
  if (request.kind === 'put') return request.content;
  return request.kind === 'patch' ? request.patch : undefined;
}

function headersOf(request: Request): Record<string, string> {
  if (!('condition' in request) || request.condition === undefined) return {};
  const { kind, condition } = request;
  if (condition === 'exists') return { 'If-Match': '*' };
  if (condition === 'is absent') return { 'If-None-Match': '*' };
  return { [kind === 'read' ? 'If-None-Match' : 'If-Match']: condition.value };
}

/** Puts real tags in the place of those that a client holds. It has read the plant before. */
async function asRequest(operation: Operation, plants: Plants, service: Service): Promise<Request> {
  if (!('condition' in operation)) return operation as Request;
  const { id, condition } = operation;
  if (condition === 'none') return { ...operation, condition: { value: UNKNOWN, content: undefined } };
  if (condition !== 'current') return operation as Request;
  const { headers } = await service.send('GET', `/plants/${id}`);
  return { ...operation, condition: { value: headers.get('ETag') ?? UNKNOWN, content: plants.get(id) } };
}

/** The plants after an order of the exchanges in which every answer is right, and the last one too. */
function findOrder(
  plants: Plants,
  clients: readonly (readonly Exchange[])[],
  last: Exchange,
): Plants | undefined {
  const open = clients.filter((exchanges) => exchanges.length > 0);
  if (open.length === 0) return afterwards(plants, last);
  for (const [client, [first, ...rest]] of open.entries()) {
    const next = first && afterwards(plants, first);
    const end = next && findOrder(next, open.with(client, rest), last);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** The plants after an exchange; undefined when the answer is wrong. */
function afterwards(plants: Plants, { request, observed }: Exchange): Plants | undefined {
  const next = answer(plants, request);
  return isDeepStrictEqual(observed, next.expected) ? next.plants : undefined;
}

test(
  'any sequence of operations by several clients is answered and stored as by a plain map that serves one after the other',
  { timeout: 300_000 },
  async () => {
    const first = await startService(QUIET);
    const { database } = first;
    // SQLite has one instance, PostgreSQL any number.
    const other = inject('database') === 'postgres' ? await startService(QUIET, database) : first;
    const answers = new Map<string, number>();

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10, size: 'max' }), async (steps) => {
        await database.execute('DELETE FROM plants');
        let plants: Plants = new Map();
        for (const clients of steps) {
          const requests = await Promise.all(
            clients.map(async (own) => Promise.all(own.map((one) => asRequest(one, plants, first)))),
          );
          const exchanges = await Promise.all(
            requests.map(async (own, client) => {
              const done: Exchange[] = [];
              for (const request of own)
                done.push({ request, observed: await send(client % 2 === 0 ? first : other, request) });
              return done;
            }),
          );
          const request: Request = { kind: 'list', query: { limit: 1000 } };
          const last = { request, observed: await send(first, request) };

          const next = findOrder(plants, exchanges, last);

          if (next === undefined)
            expect.fail(`No order explains ${fc.stringify({ plants, exchanges, last })}`);
          plants = next;
          for (const exchange of exchanges.flat()) {
            const name = `${exchange.request.kind} ${exchange.observed.status}`;
            answers.set(name, (answers.get(name) ?? 0) + 1);
          }
        }
      }),
      { numRuns: RUNS, examples: [[RARE.map((operation) => [[operation]])]] },
    );

    // Otherwise the sequences have missed what they are for.
    for (const each of ANSWERS) expect(answers.get(each), each).toBeGreaterThan(0);
    expect([...answers.keys()].toSorted()).toEqual(ANSWERS.toSorted());
  },
);
