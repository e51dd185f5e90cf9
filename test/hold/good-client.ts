import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a well-behaved client does. */
export interface Work {
  readonly url: string;
  readonly token: string;
  readonly connections: number;
  /** Plants created and read a second; without it as many as the connections can take. */
  readonly perSecond?: number;
  /** Its plants have this id and the ones behind it. */
  readonly firstId: string;
}

/** `report` is answered with an Experience, `waiting` with the number of requests that have no answer yet. */
export type ClientQuestion = 'report' | 'waiting';

/** What it has seen since the last report. */
export interface Experience {
  readonly answers: number;
  /** Milliseconds from the moment at which a request was due to the end of its answer. */
  readonly longestWait: number;
  readonly median: number;
  /** Answers other than they should have been. */
  readonly failures: number;
  /** Some of them, in words. */
  readonly examples: readonly string[];
}

const MAX_EXAMPLES = 3;
const PATIENCE_MS = 60_000;

/**
 * A process of its own, so that nothing but the service makes it wait: creates plants at a steady rate over connections
 * that it keeps, reads each back and looks for every byte of it. Tells when its connections are open, and
 * answers questions from then on.
 */
const work = JSON.parse(process.argv[2] ?? '') as Work;
const authorization = `Bearer ${work.token}`;
// In turn, so that none of them idles for as long as the service tolerates.
const agent = new Agent({ keepAlive: true, maxSockets: work.connections, scheduling: 'fifo' });
const underWay = new Set<number>();
let waits: number[] = [];
let failures: string[] = [];
let nextId = BigInt(work.firstId);

async function exchange(due: number, method: string, path: string, body?: string): Promise<string> {
  underWay.add(due);
  const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const sent = request(work.url + path, { method, headers, agent, timeout: PATIENCE_MS })
    .on('timeout', () => sent.destroy(new Error('no answer')))
    // Of a connection that breaks after the response has begun, the response tells, too.
    .on('error', () => undefined)
    .end(body);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const received = await text(response);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${received}`);
    return received;
  } finally {
    underWay.delete(due);
    waits.push(performance.now() - due);
  }
}

/** Creates a plant and reads it back. */
async function createAndRead(due: number): Promise<void> {
  const id = nextId++;
  const content = `"name":"Monstera ${id} \u{1F33F}","tag":"${id % 7n}"`;
  try {
    expectIn(await exchange(due, 'POST', '/plants', `{"id":${id},${content}}`), content);
    expectIn(await exchange(performance.now(), 'GET', `/plants/${id}`), `{"id":${id},${content}`);
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  }
}

function expectIn(received: string, expected: string): void {
  if (!received.includes(expected)) throw new Error(`${received} instead of ${expected}`);
}

function experience(): Experience {
  const now = performance.now();
  // Whoever waits still has waited already.
  const all = [...waits, ...[...underWay].map((due) => now - due)].toSorted((a, b) => a - b);
  return {
    answers: waits.length,
    longestWait: all.at(-1) ?? 0,
    median: all[all.length >> 1] ?? 0,
    failures: failures.length,
    examples: [...new Set(failures)].slice(0, MAX_EXAMPLES),
  };
}

process.on('message', (question: ClientQuestion) => {
  process.send?.(question === 'report' ? experience() : underWay.size);
  if (question !== 'report') return;
  waits = [];
  failures = [];
});
process.on('disconnect', () => process.exit());

const onEveryConnection = async (act: () => Promise<void>) =>
  Promise.all(Array.from({ length: work.connections }, act));

await onEveryConnection(async () => createAndRead(performance.now()));
process.send?.('open');

if (work.perSecond === undefined) {
  await onEveryConnection(async () => {
    for (;;) await createAndRead(performance.now());
  });
} else {
  const interval = 1000 / work.perSecond;
  for (let due = performance.now(); ; due += interval) {
    await sleep(Math.max(0, due - performance.now()));
    void createAndRead(due);
  }
}
