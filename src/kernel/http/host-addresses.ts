import dns, { type LookupAddress } from 'node:dns';
import { isIPv6, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/**
 * Looks up hosts for all connections except those to the database. `dns.lookup`, the default of Node.js, occupies one of four
 * threads for each name until its name servers have timed out. Without a free thread, no connection to the database begins.
 *
 * @param check throws if the host must not be reached.
 */
export function hostLookup(
  check: (addresses: readonly LookupAddress[]) => void = () => undefined,
): LookupFunction {
  const find = callbackify(async (host: string) => {
    const addresses = await addressesOf(host);
    check(addresses);
    return addresses;
  });
  return (host, _options, callback) => find(host, callback);
}

async function addressesOf(host: string): Promise<LookupAddress[]> {
  const resolver = new dns.promises.Resolver({ timeout: 1_000, tries: 3 });
  resolver.setServers(dns.getServers());
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const silence = answers.find(
    (answer) => answer.status === 'rejected' && answer.reason.code === dns.TIMEOUT,
  );
  if (silence?.status === 'rejected') throw silence.reason;
  // Only the system knows /etc/hosts, search domains and localhost.
  return dns.promises.lookup(host, { all: true });
}
