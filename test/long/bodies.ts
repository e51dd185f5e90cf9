import * as fc from 'fast-check';
import { answer, type Expected, type Request } from '../model/plant-model.js';
import { plantBody } from '../model/plant-bodies.js';
import { type PlantContent, readContent, readNewPlant, readPatch } from '../model/plant-reference.js';
import { Random } from '../model/random.js';
import { withoutOtherFields } from '../support/plants.js';
import { type Answer, problemOf, type Run } from './run.js';

/** Requests of one round, after which all answers are awaited. */
const ROUND = 2_000;
const CONNECTIONS = 64;

const hostileBody = fc
  .tuple(plantBody, fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.integer()))
  .map(([body, seed]) => (seed === null ? Buffer.from(body) : new Random(seed).mutated(body)));
const hostileRequest = fc.record({
  kind: fc.constantFrom('create', 'create', 'put', 'patch', 'read', 'delete'),
  id: fc.bigInt({ min: -5n, max: 500n }),
  body: hostileBody,
});
const METHODS = { create: 'POST', put: 'PUT', patch: 'PATCH', read: 'GET', delete: 'DELETE' } as const;

/** The plants that the service has to hold. */
export class Plants extends Map<bigint, PlantContent> {
  /** What has to be answered to a request, which may change these plants. */
  ask(asked: Request & { readonly id: bigint }): Expected {
    const current = this.get(asked.id);
    const plants = new Map(current && [[asked.id, current]]);
    const result = answer(plants, asked);
    const next = result.plants.get(asked.id);
    if (next === undefined) this.delete(asked.id);
    else this.set(asked.id, next);
    return result.expected;
  }
}

/** Creates, replaces, changes, reads and deletes plants; bodies may be anything. */
export async function sendBodies(run: Run, plants: Plants, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += ROUND) {
    const requests = fc.sample(hostileRequest, {
      seed: run.seed + sent,
      numRuns: Math.min(ROUND, count - sent),
    });
    // Requests for one plant go over one connection, so they are done in their order.
    const lanes = Object.groupBy(
      requests.map(({ kind, id, body }) => {
        const asked = readRequest(kind, id, body);
        const own = typeof asked === 'number' ? id : asked.id;
        const expected = typeof asked === 'number' ? { status: 400, error: asked } : plants.ask(asked);
        return { kind, id, body, own, expected };
      }),
      ({ own }) => Number(BigInt.asUintN(32, own)) % CONNECTIONS,
    );
    await Promise.all(
      Object.values(lanes).map(async (lane = []) => {
        for (const { kind, id, body, expected } of lane) {
          const path = kind === 'create' ? '/plants' : `/plants/${id}`;
          const hasBody = kind !== 'read' && kind !== 'delete';
          const received = await run.send(METHODS[kind], path, hasBody ? body : undefined);
          const problem = problemOf(received) ?? mismatch(received, expected);
          if (problem !== undefined) run.report(`${kind} ${id}: ${problem}`, body);
        }
      }),
    );
  }
}

/** A request as the model takes it, or why it is refused. */
function readRequest(
  kind: keyof typeof METHODS,
  id: bigint,
  body: Buffer,
): (Request & { readonly id: bigint }) | number {
  if (kind === 'create') return ifRead(readNewPlant(body), (plant) => ({ kind, ...plant }));
  if (kind === 'put') return ifRead(readContent(body), (content) => ({ kind, id, content }));
  if (kind === 'patch') return ifRead(readPatch(body), (patch) => ({ kind, id, patch }));
  return { kind, id };
}

function ifRead<Content, Asked>(read: Content | number, ask: (content: Content) => Asked): Asked | number {
  return typeof read === 'number' ? read : ask(read);
}

function mismatch({ status, body }: Answer, expected: Expected): string | undefined {
  const content =
    expected.error === undefined
      ? json(expected.body)
      : (JSON.parse(body) as { error: number }).error === expected.error && body;
  const isRight = status === expected.status && withoutOtherFields(body) === content;
  return isRight ? undefined : `${status} ${body} instead of ${expected.status} ${expected.error ?? content}`;
}

function json(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
    ) ?? ''
  );
}

/** Imports lines, thousands at a time; lines may be anything. */
export async function importLines(run: Run, plants: Plants, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += ROUND) {
    const bodies = fc.sample(hostileBody, { seed: run.seed - sent, numRuns: Math.min(ROUND, count - sent) });
    const lines = Buffer.concat(bodies.flatMap((body) => [body, Buffer.from('\n')]));
    const received = await run.send('POST', '/plants/import', lines, 'application/x-ndjson');
    const results = received.body.split('\n').slice(0, -1);
    const expected = lines
      .toString('latin1')
      .split('\n')
      .map((line, index) => ({ sent: Buffer.from(line, 'latin1'), number: index + 1 }))
      .filter((line) => line.sent.length > 0)
      .map((line) => Object.assign(line, importLine(plants, line.sent)));
    if (received.status !== 200 || results.length !== expected.length)
      run.report(
        `an import of ${expected.length} lines got ${received.status} and ${results.length} lines`,
        lines,
      );
    for (const [index, { number, status, error, sent: line }] of expected.entries()) {
      const result = JSON.parse(results[index] ?? '{}') as Record<string, unknown>;
      const isRight = result['line'] === number && result['status'] === status && result['error'] === error;
      if (!isRight)
        run.report(`${results[index]} instead of ${status} ${error ?? ''} for the line ${number}`, line);
    }
  }
}

function importLine(plants: Plants, line: Buffer): { readonly status: number; readonly error?: number } {
  const plant = readNewPlant(line);
  if (typeof plant === 'number') return { status: 400, error: plant };
  const { id, content } = plant;
  const current = plants.get(id);
  // The same plant again is stored already.
  if (current !== undefined && json(current) !== json(content)) return { status: 409, error: 40900 };
  plants.set(id, content);
  return { status: 200 };
}
