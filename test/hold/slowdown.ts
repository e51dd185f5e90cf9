import { setTimeout as sleep } from 'node:timers/promises';
import type { Experience } from './good-client.js';
import { type GoodClient, type House, startGoodClient } from './house.js';

/** As many connections as the hostile clients keep busy. */
const BUSY_CONNECTIONS = 64;

const WARM_UP_MS = 1_000;
const MEASURED_MS = 2_000;

/**
 * What half of the requests of the well-behaved client waited at most, in milliseconds, on two cores (x86-64, virtual,
 * Node.js 24) and SQLite: about the least of a dozen measurements there while other work came and went.
 */
const REFERENCE_ALONE_MS = 1.7;
const REFERENCE_BESIDE_MS = 22;

/**
 * How many times slower this machine is than the reference, 1 at least: by the waits of the well-behaved client alone, and
 * beside others that are as busy as they can be and do nothing wrong.
 */
export async function measureSlowdown({ client, service }: House): Promise<number> {
  const busy = await startGoodClient({
    url: service.url,
    firstId: String(2n ** 61n),
    connections: BUSY_CONNECTIONS,
  });
  await sleep(WARM_UP_MS);
  const beside = await experienceOver(client, MEASURED_MS);
  busy.close();
  const alone = await experienceOver(client, MEASURED_MS);
  process.stdout.write(
    `Half of the requests waited at most ${alone.median.toFixed(1)} ms alone, ${beside.median.toFixed(1)} ms beside busy clients.\n`,
  );
  return Math.max(1, alone.median / REFERENCE_ALONE_MS, beside.median / REFERENCE_BESIDE_MS);
}

async function experienceOver(client: GoodClient, milliseconds: number): Promise<Experience> {
  await client.experience();
  await sleep(milliseconds);
  return client.experience();
}
