import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Attack, ATTACKS } from './attacks.js';
import { Target } from './hostile.js';
import { type House, openHouse, POOL_SIZE, SHUTDOWN_TIMEOUT_MS } from './house.js';
import { measureSlowdown } from './slowdown.js';
import type { Level } from './watch.js';

/** The same seed makes the same attacks. */
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** Only the phases whose name has this in it. */
const ATTACK = process.env['ATTACK'] ?? '';

/** What holds on an idle machine of two cores; a slower one is given more time, and no more memory. */
const MAX_WAIT_MS = 1_000;
const MAX_BLOCK_MS = 250;
const MAX_MEMORY_MB = 350;

/**
 * Megabytes without garbage that may be in use after a phase beyond what was before it: caches fill, such as those of tokens
 * and of prepared statements. An attack that leaves nothing behind was seen to leave 3, and the smallest leak of the attacks
 * was 30.
 */
const MAX_GROWTH_MB = 16;

/** How long an attack may go on, before its clients leave. */
const ATTACK_MS = 5_000;
/** How long the service then has to let go of everything. */
const SETTLE_MS = 60_000;
/** Nothing waits this long by the settings of the house: what has not gone until then stays. */
const HOPELESS_MS = 15_000;

/** The share of each attack that is made while all are made together. */
const TOGETHER_SHARE = 0.1;

/** How often the highest memory is read. */
const SAMPLING_MS = 50;

const TOGETHER: Attack = {
  name: 'all together',
  run: async (target) => Promise.all(ATTACKS.map(async ({ run }) => run(target))),
  afterwards: async (target) => {
    for (const { afterwards } of ATTACKS) await afterwards?.(target);
  },
};

test(`nobody brings the service down on ${inject('database')}`, async () => {
  const random = generator(SEED);
  let house = await openHouse();
  const slowdown = await measureSlowdown(house);
  print(`${inject('database')}, SEED=${SEED}, ${slowdown.toFixed(2)} times as slow as the reference`);
  const problems: string[] = [];
  for (const attack of [...ATTACKS, TOGETHER].filter(({ name }) => name.includes(ATTACK))) {
    const share = attack === TOGETHER ? TOGETHER_SHARE : 1;
    const found = await phase(
      house,
      attack,
      new Target(house.port, house.hostileToken, random, share),
      slowdown,
    );
    problems.push(...found.map((problem) => `${attack.name}: ${problem}`));
    if (found.length === 0) continue;
    // What one attack has broken is not to be put down to the next.
    await house.close();
    house = await openHouse();
  }
  const found = await stop(
    house,
    new Target(house.port, house.hostileToken, random, TOGETHER_SHARE),
    slowdown,
  );
  expect([...problems, ...found]).toEqual([]);
});

/** Attacks a house until it has settled, prints a line, and returns what was not as it has to be. */
async function phase(house: House, attack: Attack, target: Target, slowdown: number): Promise<string[]> {
  const { watch, client } = house;
  const begun = performance.now();
  const problems: string[] = [];
  let block: number | undefined;
  let peak: number | undefined;
  // The kernel keeps the peak, but not for a process that has died.
  const sampling = setInterval(() => (peak = watch.peakMb() ?? peak), SAMPLING_MS);
  try {
    const before: Level = { heldMb: await watch.heldMb(), ...(await watch.counts()) };
    await client.experience();
    await watch.begin();
    peak = undefined;
    await Promise.race([attack.run(target), sleep(ATTACK_MS).then(() => target.disconnect())]);
    const left = await settle(house, before);
    block = await watch.longestBlock();
    peak = watch.peakMb() ?? peak;
    clearInterval(sampling);
    target.disconnect();
    problems.push(...left, ...(left.length > 0 ? [] : await growth(house, before)));
    await attack.afterwards?.(target);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    clearInterval(sampling);
    target.disconnect();
  }
  const { longestWait, failures, examples } = await client.experience();
  if (failures > 0) problems.unshift(`${failures} good requests failed: ${examples.join(' / ')}`);
  if (longestWait > MAX_WAIT_MS * slowdown) problems.unshift('waits too long');
  if (block === undefined || block > MAX_BLOCK_MS * slowdown) problems.unshift('stands still too long');
  if (peak === undefined || peak > MAX_MEMORY_MB) problems.unshift('takes too much memory');
  const figures = [
    `waits ${ms(longestWait)}`,
    `stands still ${ms(block)}`,
    mb(peak),
    ms(performance.now() - begun),
  ];
  print([attack.name.padEnd(40), ...figures, problems.join('; ')].join(' | '));
  return problems;
}

/** Waits until the service holds no more than before; returns what it still holds when that does not happen. */
async function settle({ watch }: House, before: Level): Promise<string[]> {
  // The pool keeps its connections for a while.
  const pooled = inject('database') === 'postgres' ? Math.max(0, POOL_SIZE - before.sessions) : 0;
  const most = {
    descriptors: before.descriptors + pooled,
    sockets: before.sockets + pooled,
    timers: before.timers + pooled,
    sessions: before.sessions + pooled,
    idleInTransaction: 0,
  };
  const names = Object.keys(most) as (keyof typeof most)[];
  const start = performance.now();
  let progress = start;
  let left: string[] = [];
  for (;;) {
    const now = await watch.counts();
    const stillLeft = names
      .filter((name) => now[name] > most[name])
      .map((name) => `${name} ${before[name]} → ${now[name]}`);
    if (stillLeft.join() !== left.join()) progress = performance.now();
    left = stillLeft;
    const isHopeless = performance.now() - progress > HOPELESS_MS;
    if (left.length === 0 || isHopeless || performance.now() - start > SETTLE_MS) return left;
    await sleep(100);
  }
}

/** Waits until no more memory is in use than before, give or take the caches. */
async function growth({ watch }: House, before: Level): Promise<string[]> {
  const start = performance.now();
  for (;;) {
    const heldMb = await watch.heldMb();
    if (heldMb <= before.heldMb + MAX_GROWTH_MB) return [];
    if (performance.now() - start > HOPELESS_MS) return [`holds ${mb(before.heldMb)} → ${mb(heldMb)}`];
    await sleep(500);
  }
}

/** Stops the service while hostile clients of every kind are at it. */
async function stop({ service, client }: House, target: Target, slowdown: number): Promise<string[]> {
  client.close();
  onTestFinished(() => target.disconnect());
  TOGETHER.run(target).catch(() => undefined);
  await sleep(1_000);
  const start = performance.now();
  service.child.kill('SIGTERM');
  const code = await Promise.race([
    service.exited,
    sleep(SHUTDOWN_TIMEOUT_MS + MAX_WAIT_MS * 2 * slowdown, 'late'),
  ]);
  print(`stop under attack: ${code} after ${ms(performance.now() - start)}`);
  return code === 0 ? [] : [`stop: exit ${code}, ${service.stderr()}`];
}

function ms(milliseconds: number | undefined): string {
  return `${(milliseconds?.toFixed() ?? '?').padStart(6)} ms`;
}

function mb(megabytes: number | undefined): string {
  return `${(megabytes?.toFixed() ?? '?').padStart(4)} MB`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Random numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
