import dns from 'node:dns';
import net from 'node:net';
import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebhookSettings } from './webhooks.settings.js';
import { startNameServer } from '../../../test/support/network/name-server.js';
import { Receivers } from './receivers.js';
import type { Webhook } from './webhook.entity.js';

/** After a change of what is public, try 100,000 once: they take over a minute. */
const RUNS = 300;

const SETTINGS = Object.assign(new WebhookSettings(), {
  WEBHOOK_KEY: 'a-key-for-the-webhooks-of-the-tests',
  timeout: 1_000,
});

const byte = fc.nat(255);

/** Addresses that are not public, in ranges that have their reasons. */
const hostileV4 = fc
  .tuple(
    fc.constantFrom<readonly [first: number, second?: number, third?: number]>(
      ...([[0], [10], [100, 64], [100, 127], [127], [169, 254], [172, 16], [172, 31], [192, 0, 0]] as const),
      ...([
        [192, 0, 2],
        [192, 168],
        [198, 18],
        [198, 19],
        [198, 51, 100],
        [203, 0, 113],
      ] as const),
      ...([[224], [239], [240], [255]] as const),
    ),
    fc.tuple(byte, byte, byte, byte),
  )
  .map(([fixed, random]) => random.map((value, index) => fixed[index] ?? value));

const dotted = (bytes: readonly number[]) => bytes.join('.');
const whole = (bytes: readonly number[]) => bytes.reduce((sum, value) => sum * 256 + value, 0);
const hex = (bytes: readonly number[]) =>
  [0, 2].map((from) => ((bytes[from] ?? 0) * 256 + (bytes[from + 1] ?? 0)).toString(16)).join(':');

/** How a URL may spell an address of IPv4, which browsers and Node.js understand. */
const SPELLINGS: readonly ((bytes: readonly number[]) => string)[] = [
  dotted,
  (bytes) => `${dotted(bytes)}.`,
  (bytes) => String(whole(bytes)),
  (bytes) => `0x${whole(bytes).toString(16)}`,
  (bytes) => `0${whole(bytes).toString(8)}`,
  (bytes) => bytes.map((value) => `0x${value.toString(16)}`).join('.'),
  (bytes) => bytes.map((value) => `0${value.toString(8)}`).join('.'),
  (bytes) => `${bytes[0]}.${whole(bytes.slice(1))}`,
  (bytes) => `${bytes[0]}.${bytes[1]}.${whole(bytes.slice(2))}`,
  (bytes) => dotted(bytes).replaceAll('.', '%2e'),
  (bytes) => dotted(bytes).replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (bytes) => dotted(bytes).replaceAll('.', '。'),
];

/** Addresses of IPv6 that lead to one of IPv4, or pretend to. */
const EMBEDDINGS: readonly ((bytes: readonly number[]) => string)[] = [
  (bytes) => `::ffff:${dotted(bytes)}`,
  (bytes) => `::ffff:${hex(bytes)}`,
  (bytes) => `0:0:0:0:0:ffff:${hex(bytes)}`,
  (bytes) => `::${dotted(bytes)}`,
  (bytes) => `::ffff:0:${dotted(bytes)}`,
  (bytes) => `64:ff9b::${dotted(bytes)}`,
  (bytes) => `64:ff9b:1::${dotted(bytes)}`,
  (bytes) => `2002:${hex(bytes)}::1`,
  (bytes) => `2001:0:${hex(bytes)}::1`,
];

const group = fc.nat(0xffff).map((value) => value.toString(16));
const groups = (count: number) =>
  fc.array(group, { minLength: count, maxLength: count }).map((all) => all.join(':'));

const hostileV6 = fc.oneof(
  fc.constantFrom('::', '::1', '0:0:0:0:0:0:0:1', '100::1', '2001:db8::1', '3fff::1', '5f00::1', '4000::1'),
  fc
    .tuple(fc.constantFrom('fe80', 'febf', 'fec0', 'fc00', 'fdff', 'ff02', '2002'), groups(7))
    .map((all) => all.join(':')),
  fc
    .tuple(fc.constantFrom('2001:0', '2001:2', '2001:10', '2001:1ff', '2001:db8'), groups(6))
    .map((all) => all.join(':')),
  fc.tuple(hostileV4, fc.constantFrom(...EMBEDDINGS)).map(([bytes, embed]) => embed(bytes)),
);

const hostileHost = fc.oneof(
  fc.tuple(hostileV4, fc.constantFrom(...SPELLINGS)).map(([bytes, spell]) => spell(bytes)),
  hostileV6.map((address) => `[${address}]`),
);

/** Any address; a library with a list of its own knows which are public. */
const anyAddress = fc.oneof(fc.tuple(byte, byte, byte, byte).map(dotted), groups(8));

const NOT_ALLOWED = 'The address of the receiver is neither public nor in WEBHOOK_ADDRESSES.';

async function failureOf(receivers: Receivers, host: string): Promise<string | null> {
  const webhook = { id: 'a', url: `https://${host}/`, generation: 1, rotatedAt: null } as Webhook;
  return (await receivers.post(webhook, 'message', '{}', AbortSignal.timeout(1_000))).failure;
}

describe('receivers', { timeout: 60_000 + 5 * RUNS }, () => {
  const receivers = new Receivers(SETTINGS);
  afterEach(() => void vi.restoreAllMocks());

  test('are never at an address that is not public, however a URL spells it', async () => {
    const connect = vi.spyOn(net.Socket.prototype, 'connect');
    await fc.assert(
      fc.asyncProperty(hostileHost, async (host) => {
        expect(receivers.problemOf(`https://${host}/`), host).toMatch(/^lead to a public address/);
        await expect(failureOf(receivers, host), host).resolves.toBe(NOT_ALLOWED);
      }),
      { numRuns: RUNS },
    );
    expect(connect).not.toHaveBeenCalled();
  });

  test('are never at an address that is not public, whatever a name server says', async () => {
    let found: readonly string[] | 'refused' = [];
    const asked = await startNameServer(() => found);
    // Stands for /etc/hosts, which a test cannot change.
    const lookup = vi.spyOn(dns.promises, 'lookup');
    const resolved = fc.oneof(hostileV4.map(dotted), hostileV6, fc.constant('fe80::1%eth0'));
    await fc.assert(
      fc.asyncProperty(resolved, fc.nat(2), fc.boolean(), async (hostile, index, isInHosts) => {
        const all = ['8.8.8.8', '2606:4700::1111'].toSpliced(index, 0, hostile);
        // The record of a name server has no zone.
        found = isInHosts || hostile.includes('%') ? 'refused' : all;
        const answer = all.map((address) => ({ address, family: net.isIP(address) }));
        lookup.mockResolvedValue(answer as never);
        await expect(failureOf(receivers, 'receiver.example'), hostile).resolves.toBe(NOT_ALLOWED);
      }),
      { numRuns: RUNS },
    );
    expect(asked).toEqual(new Set(['receiver.example']));
  });

  test('are public wherever a library says so, and nowhere else', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const isPublic = ipaddr.parse(address).range() === 'unicast' && /^([\d.]+$|[23]\w{3}:)/.test(address);
        const host = net.isIPv6(address) ? `[${address}]` : address;
        expect(receivers.problemOf(`https://${host}/`) === undefined, address).toBe(isPublic);
      }),
      { numRuns: RUNS },
    );
  });
});
