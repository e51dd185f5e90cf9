import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/** The first timeout of a name server in milliseconds, and the number of tries. Each try doubles the timeout. */
const QUESTION = { timeout: 1_000, tries: 3 };

/** Error codes of name servers that do not know the name, or of missing name servers. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EREFUSED']);

/** The latest look-up by the system; the next waits for it. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Looks up hosts for all connections except those to the database. `dns.lookup`, the default of Node.js, occupies one of four
 * threads for each name until its name servers have timed out. Without a free thread, no connection to the database begins.
 *
 * @param signal ends the look-ups.
 * @param check throws if the host must not be reached.
 */
export function hostLookup(
  signal: AbortSignal,
  check: (addresses: readonly LookupAddress[]) => void = () => undefined,
): LookupFunction {
  const find = callbackify(async (host: string) => {
    const addresses = await addressesOf(host, signal);
    check(addresses);
    return addresses;
  });
  return (host, _options, callback) => find(host, callback);
}

async function addressesOf(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
  // RFC 6761 keeps localhost from name servers.
  if (!/^(?:.*\.)?localhost\.?$/.test(host)) {
    const answers = await ask(host, signal);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    for (const { reason } of answers as PromiseRejectedResult[])
      if (!UNKNOWN.has((reason as NodeJS.ErrnoException).code ?? '')) throw reason;
  }
  // The system also knows /etc/hosts and search domains. One look-up at a time leaves the other threads free.
  const system = last.then(() => {
    signal.throwIfAborted();
    return dns.promises.lookup(host, { all: true });
  });
  last = system.catch(() => undefined);
  return system;
}

/** Asks the name servers for addresses of IPv4 and of IPv6, without a thread. */
async function ask(host: string, signal: AbortSignal): Promise<PromiseSettledResult<LookupAddress[]>[]> {
  const resolver = new dns.promises.Resolver(QUESTION);
  resolver.setServers(dns.getServers());
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    return await Promise.allSettled([
      resolver.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 }))),
    ]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
