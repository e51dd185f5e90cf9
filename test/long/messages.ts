import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createRequest } from '../support/service.js';
import { type Answer, headerOf, problemOf, takeAnswer } from './answers.js';
import {
  brokenDeletion,
  brokenImport,
  brokenMessage,
  lastMessage,
  type Message,
  mutatedMessage,
  plantOf,
  wellFormed,
} from './http-messages.js';
import type { Random } from './random.js';
import type { Run } from './run.js';

/** Connections that are open at the same time. */
const CONNECTIONS = 256;

/** How long the service may take to close a connection on which everything is said. */
const PATIENCE_MS = 30_000;

/** What is sent on one connection, and what is wrong with what came back. */
interface Script {
  readonly bytes: Buffer;
  /** What it tries, for the report. */
  readonly name: string;
  /** Whether the client leaves as soon as everything is sent. */
  readonly leaves?: 'at once' | 'politely';
  /** What has to be done before. */
  before?(): Promise<void>;
  judge(received: Buffer): string | undefined;
}

/** Sends raw HTTP messages, each connection for a few. */
export async function sendMessages(run: Run, indices: readonly number[]): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < indices.length) {
      run.assertFewFindings();
      const random = run.random(indices[next] as number);
      const own = indices.slice(next, next + (random.once(2) ? 1 : random.between(2, 8)));
      next += own.length;
      const script = random.weighted<(run: Run, random: Random, own: readonly number[]) => Script>([
        [8, wholeScript],
        [5, brokenScript],
        [6, mutatedScript],
        [2, abortedScript],
        [1, brokenDeletionScript],
        [1, brokenImportScript],
        [1, upgradeScript],
        [1, halfClosedScript],
      ])(run, random, own);
      await script.before?.();
      const received = await play(run.port, random, script);
      const problem = typeof received === 'string' ? received : judged(script, received);
      if (problem === undefined) continue;
      // What is stored now is told once, here.
      for (const { id, content } of own.map((index) => plantOf(index))) run.model.perhaps.set(id, content);
      const answers = typeof received === 'string' ? '' : `, received ${summary(received)}`;
      const kind = `${script.name}: ${problem}`;
      run.report(own[0] as number, script.bytes, `${kind}${answers}`, kind);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

/** What is wrong with what came back, even if that is no HTTP. */
function judged(script: Script, received: Buffer): string | undefined {
  try {
    return script.judge(received);
  } catch (error) {
    return String(error);
  }
}

/** What came back, in short. */
function summary(received: Buffer): string {
  const parts = received.toString('latin1').match(/HTTP\/1\.1 \d+|(?<=X-Request-Id: )\S+|\{"error.*?\}/g) ?? [
    'nothing',
  ];
  return parts.join(' ').slice(0, 1_500);
}

/** Sends a script in pieces; returns what came back until the connection was closed, or what went wrong. */
async function play(port: number, random: Random, { bytes, leaves }: Script): Promise<Buffer | string> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  const chunks: Buffer[] = [];
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, PATIENCE_MS);
  const closed = new Promise<void>((resolve) => {
    socket
      .on('data', (chunk) => chunks.push(chunk))
      .on('error', () => undefined)
      .on('close', () => resolve());
  });
  const pieces = random.once(2) ? 1 : random.between(2, random.once(10) ? 40 : 5);
  const cuts = Array.from({ length: pieces - 1 }, () => random.below(bytes.length)).toSorted((a, b) => a - b);
  for (const [place, cut] of [0, ...cuts].entries()) {
    if (place > 0) await turn();
    socket.write(bytes.subarray(cut, cuts[place] ?? bytes.length));
  }
  if (leaves === 'at once') socket.destroySoon();
  if (leaves === 'politely') socket.end();
  await closed;
  clearTimeout(late);
  return isLate ? `the connection is open after ${PATIENCE_MS} ms` : Buffer.concat(chunks);
}

/** Requests that are all answered, in their order. */
function wholeScript(run: Run, random: Random, own: readonly number[]): Script {
  const messages = own.map((index) => wellFormed(index === random.index ? random : run.random(index), index));
  return answered(run, 'whole', [...messages, lastMessage(random.index)]);
}

function answered(run: Run, name: string, messages: readonly Message[]): Script {
  return {
    name,
    bytes: Buffer.concat(messages.map(({ bytes }) => bytes)),
    judge: (received) => {
      const { problem, rest } = takeAll(run, received, messages);
      return problem ?? (rest.length > 0 ? 'there is more than the answers' : undefined);
    },
  };
}

/** A request that would rather go on in another protocol: it is answered, and nothing behind it is done. */
function upgradeScript(run: Run, random: Random, [index = 0]: readonly number[]): Script {
  const protocol = random.pick(['websocket', 'h2c', 'TLS/1.2', 'x']);
  const first = wellFormed(random, index, `Connection: Upgrade\r\nUpgrade: ${protocol}`);
  const script = answered(run, 'upgrade', [first]);
  return { ...script, bytes: Buffer.concat([first.bytes, lastMessage(index).bytes]) };
}

/** A request whose client has nothing more to say, and waits for the answer. */
function halfClosedScript(run: Run, random: Random, [index = 0]: readonly number[]): Script {
  return { ...answered(run, 'half-closed', [wellFormed(random, index)]), leaves: 'politely' };
}

/** Maybe some whole requests, and one that is none: it is refused, and what is behind it not done. */
function brokenScript(run: Run, random: Random, own: readonly number[]): Script {
  const whole = own.slice(1).map((index) => wellFormed(run.random(index), index));
  const broken = brokenMessage(random, random.index);
  const last = lastMessage(random.index);
  return {
    name: broken.name,
    bytes: Buffer.concat([...whole.map(({ bytes }) => bytes), broken.bytes, last.bytes]),
    judge: (received) => {
      const { problem, rest } = takeAll(run, received, whole);
      if (problem !== undefined) return problem;
      // Behind other requests the service may just close the connection.
      if (rest.length === 0) return whole.length > 0 ? undefined : 'it is not answered';
      const refusal = takeAnswer(rest, false);
      if (refusal === undefined) return 'the answer is not whole';
      run.countAnswer(refusal.answer);
      const wrong = problemOf(refusal.answer, false, false);
      if (wrong !== undefined) return wrong;
      if (refusal.answer.status < 400) return 'it is not refused';
      if (refusal.rest.length === 0) return undefined;
      if (broken.mustClose) return 'there is an answer behind the refusal';
      const end = takeAll(run, refusal.rest, [last]);
      return end.problem ?? (end.rest.length > 0 ? 'there is more than the answers' : undefined);
    },
  };
}

/** A deletion that breaks off: it is done and answered so, or refused and not done. */
function brokenDeletionScript(run: Run, random: Random, [index = 0]: readonly number[]): Script {
  const { id, content } = plantOf(index);
  return {
    name: 'broken deletion',
    bytes: brokenDeletion(random, index),
    before: async () => {
      const init = { ...createRequest({ name: content.name }), method: 'PUT' };
      await (await fetch(`http://127.0.0.1:${run.port}/plants/${id}`, init)).text();
      run.model.plants.set(id, content);
    },
    judge: (received) => {
      const taken = takeAnswer(received, false);
      if (taken?.answer.status === 204) run.model.plants.delete(id);
      return taken === undefined || taken.rest.length > 0 ? 'one answer is expected' : undefined;
    },
  };
}

/** An import that breaks off behind its first line: that is stored and answered so, or all of it is refused. */
function brokenImportScript(run: Run, random: Random, [index = 0]: readonly number[]): Script {
  const { id, content } = plantOf(index);
  return {
    name: 'broken import',
    bytes: brokenImport(random, index),
    judge: (received) => {
      const text = received.toString('latin1');
      const isStored = text.includes('{"line":1,"status":200}');
      if (isStored) run.model.plants.set(id, content);
      return isStored || text.startsWith('HTTP/1.1 400') ? undefined : 'it is not answered';
    },
  };
}

/** A message that was changed at random: it is done as the answer says, or not at all. */
function mutatedScript(run: Run, random: Random, [index = 0]: readonly number[]): Script {
  const bytes = Buffer.concat([mutatedMessage(random, index), lastMessage(index).bytes]);
  const { id, content } = plantOf(index);
  return {
    name: 'mutated',
    bytes,
    judge: (received) => {
      let rest = received;
      let count = 0;
      for (let taken = takeAnswer(rest, false); taken !== undefined; taken = takeAnswer(rest, false)) {
        const { answer } = taken;
        rest = taken.rest;
        count += 1;
        run.countAnswer(answer);
        const problem = problemOf(answer, true, false) && problemOf(answer, false, false);
        if (problem !== undefined) return problem;
        const plant = storedBy(answer);
        if (plant?.name === content.name) run.model.plants.set(plant.id ?? id, content);
      }
      if (rest.length > 0) return 'the answer is not whole';
      return count === 0 ? 'it is not answered' : undefined;
    },
  };
}

/** The plant of the answer to a create or a replacement; a create leaves out the id. */
function storedBy({
  status,
  body,
}: Answer): { readonly id: bigint | undefined; readonly name: unknown } | undefined {
  if (status !== 200 && status !== 201) return undefined;
  const text = body.toString();
  const [, id] = /^\{"id":(-?\d+),/.exec(text) ?? [];
  return {
    id: id === undefined ? undefined : BigInt(id),
    name: (JSON.parse(text) as { name?: unknown }).name,
  };
}

/** A request whose client leaves in the middle: it is not done. Behind its end nobody knows. */
function abortedScript(run: Run, random: Random, [index = 0]: readonly number[]): Script {
  const { bytes, plant } = wellFormed(random, index);
  const isWhole = random.once(4);
  // An import stores its lines as they come.
  const isUnknown = isWhole || bytes.includes('/plants/import ');
  if (isUnknown && plant !== undefined) run.model.perhaps.set(plant.id, plant.content);
  return {
    name: 'aborted',
    bytes: isWhole ? bytes : bytes.subarray(0, random.between(1, bytes.length - 1)),
    leaves: random.pick(['at once', 'politely']),
    judge: () => undefined,
  };
}

/** Takes the answers to some requests, keeps in mind what they stored, and counts them. */
function takeAll(
  run: Run,
  received: Buffer,
  messages: readonly Message[],
): { problem: string | undefined; rest: Buffer } {
  let rest = received;
  for (const { requestId, statuses, isHead, isCreate, plant } of messages) {
    const taken = takeAnswer(rest, isHead);
    if (taken === undefined) return { problem: `there is no answer to ${requestId}`, rest };
    const { answer } = taken;
    rest = taken.rest;
    run.countAnswer(answer);
    // A line of an import may be refused in an answer that is not.
    const isStored = plant !== undefined && answer.status < 300 && !answer.body.includes('"error"');
    if (isStored) run.model.plants.set(plant.id, plant.content);
    const isRight = statuses.includes(answer.status) && headerOf(answer, 'X-Request-Id') === requestId;
    const expectation = `${statuses.join(' or ')} under the id ${requestId} is expected instead of ${answer.status}`;
    const problem = problemOf(answer, isCreate, isHead) ?? (isRight ? undefined : expectation);
    if (problem !== undefined) return { problem, rest };
  }
  return { problem: undefined, rest };
}
