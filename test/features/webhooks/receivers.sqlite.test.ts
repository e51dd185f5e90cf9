import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { DataSource } from 'typeorm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Webhook as StoredWebhook } from '../../../src/features/webhooks/webhook.entity.js';
import { startNameServer } from '../../support/network/name-server.js';
import { type Reaction, Receiver } from '../../support/network/receiver.js';
import { createAll, type Hook, hook, KEY, startWithHooks, waitForState } from './hooks.js';

/** A test waits for this timeout. */
const IMPATIENT = { timeout: 2_000 };

const FAILURES: readonly [
  what: string,
  reaction: Reaction,
  lastFailure: string,
  settings?: typeof IMPATIENT,
][] = [
  ['an error', 500, 'The receiver returned 500.'],
  ['that it is not there', 404, 'The receiver returned 404.'],
  [
    'a switch of protocols',
    (_request, { socket }) =>
      socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    'The receiver did not respond',
    IMPATIENT,
  ],
  [
    'no HTTP',
    (_request, { socket }) => socket?.end('nonsense\r\n\r\n'),
    'The connection to the receiver failed (HPE_INVALID_CONSTANT).',
  ],
  [
    'a closed connection',
    ({ socket }) => socket.destroy(),
    'The connection to the receiver failed (ECONNRESET).',
  ],
  ['silence', () => undefined, 'The receiver did not respond within 2 s.', IMPATIENT],
];

test.for(FAILURES)(
  'a receiver that returns %s gets the same again, and keeps the order',
  async ([, reaction, lastFailure, settings]) => {
    const service = await startWithHooks({}, undefined, settings);
    const receiver = await Receiver.start();
    receiver.reactions.push(reaction, reaction);
    const made = await hook(service, receiver);
    const names = Array.from({ length: 20 }, (_, index) => `plant ${index}`);

    await createAll(service, names);

    await vi.waitFor(() => expect(receiver.names).toEqual(names));
    const [failed, again, taken] = receiver.requests;
    for (const other of [again, taken]) {
      expect(other?.body).toBe(failed?.body);
      expect(other?.headers['webhook-id']).toBe(failed?.headers['webhook-id']);
    }
    await waitForState(service, made, {
      state: 'active',
      behind: 0,
      lastFailure: expect.stringContaining(lastFailure),
    });
    const log = service.log.join('');
    expect(log.match(/The webhook \w+ to 127\.0\.0\.1:\d+ fails: /g)).toHaveLength(1);
    expect(log.match(/The webhook \w+ to 127\.0\.0\.1:\d+ works again\./g)).toHaveLength(1);
    for (const secret of [made.secret, KEY, 'a-secret-of-the-url']) expect(log).not.toContain(secret);
  },
);

test('a receiver with https needs a certificate that the service trusts', async () => {
  const [cert = '', key = ''] = ['crt', 'key'].map((end) =>
    readFileSync(new URL(`../../postgres/tls/server.${end}`, import.meta.url), 'utf8'),
  );
  const service = await startWithHooks();
  const receiver = await Receiver.start({ cert, key });
  const made = await hook(service, receiver);
  await createAll(service, ['a']);
  await waitForState(service, made, {
    lastFailure: 'The connection to the receiver failed (DEPTH_ZERO_SELF_SIGNED_CERT).',
  });
  expect(receiver.requests).toEqual([]);
  const trusted = getCACertificates();
  onTestFinished(() => setDefaultCACertificates(trusted));

  setDefaultCACertificates([...trusted, cert]);

  await vi.waitFor(() => expect(receiver.names).toEqual(['a']));
});

test('a response may be as long as it likes, and a redirect is not followed', async () => {
  const service = await startWithHooks();
  const [receiver, other] = [await Receiver.start(), await Receiver.start()];
  let written = 0;
  receiver.reactions.push(
    (_request, response) => response.writeHead(307, { Location: other.url }).end(),
    (_request, response) => {
      const write = () => {
        written += 65_536;
        if (!response.destroyed) response.write('x'.repeat(65_536), write);
      };
      response.writeHead(200);
      write();
    },
  );
  const made = await hook(service, receiver);

  await createAll(service, ['a']);

  await vi.waitFor(() => expect(receiver.requests).toHaveLength(2));
  await waitForState(service, made, { behind: 0, lastFailure: 'The receiver returned 307.' });
  expect(other.requests).toEqual([]);
  // What the buffers of the sockets take.
  expect(written).toBeLessThan(10_000_000);
});

test('a retry comes no sooner than it has to', async () => {
  const service = await startWithHooks({}, undefined, { retry: { least: 60_000, most: 60_000 } });
  const receiver = await Receiver.start();
  receiver.reactions.push(500);
  const made = await hook(service, receiver);

  await createAll(service, ['a']);

  await waitForState(service, made, { lastFailure: 'The receiver returned 500.' });
  const webhooks = service.app.get(DataSource).getRepository(StoredWebhook);
  const { nextAttemptAt, lastFailureAt } = await webhooks.findOneByOrFail({ id: made.id });
  expect(Number(nextAttemptAt) - Number(lastFailureAt)).toBe(60_000);
});

test('receivers whose name servers do not answer take no thread from look-ups of the database', async () => {
  const asked = await startNameServer();
  const service = await startWithHooks();
  const hosts = Array.from({ length: 8 }, (_, index) => `receiver-${index}.example.org`);
  for (const host of hosts) await hook(service, { url: `https://${host}/` });

  await createAll(service, ['a']);

  await vi.waitFor(() => expect([...asked].toSorted()).toEqual(hosts.toSorted()));
  expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
  for (const { lastFailure } of (await service.send('GET', '/webhooks')).body as Hook[])
    expect(lastFailure).toBeUndefined();
});

test('nothing connects to a host of this machine, unless a setting names its address', async () => {
  const service = await startWithHooks({ WEBHOOK_ADDRESSES: '' });
  let connections = 0;
  const server = createServer().on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const made = await hook(service, { url: `https://localhost:${port}/` });

  await createAll(service, ['a']);

  const lastFailure = 'The address of the receiver is neither public nor in WEBHOOK_ADDRESSES.';
  await waitForState(service, made, { state: 'active', lastFailure });
  expect(connections).toBe(0);
});
