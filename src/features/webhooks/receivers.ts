import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { JSON_TYPE } from '../../kernel/http/body/media-types.js';
import { hostLookup } from '../../kernel/http/host-addresses.js';
import type { Webhook, WebhookDelivery } from './webhook.entity.js';
import { WebhookSettings } from './webhooks.settings.js';

/**
 * Addresses that are not public, by IANA's registries of special addresses. Of IPv6, only 2000::/3 is in use. Each family has a
 * list of its own, because a BlockList matches IPv4 addresses against ::/3.
 */
const NOT_PUBLIC = {
  ipv4: blockListOf(
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 ' +
      '192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
  ),
  ipv6: blockListOf('::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20'),
};

/** Milliseconds for which an idle connection is kept: less than most servers keep it, so that none cuts it under the next request. */
const IDLE_MS = 4_000;

/** Milliseconds and bytes for which a response is read, so that its connection can be reused. */
const RESPONSE_MS = 100;
const MAX_RESPONSE = 65_536;

/** Bytes of a response that are kept if it is not 2xx. */
const MAX_KEPT = 1_024;

/** Milliseconds for which the previous secret signs as well. */
const OVERLAP_MS = 86_400_000;

const NOT_ALLOWED = new Error('The address of the receiver is neither public nor in WEBHOOK_ADDRESSES.');

/** What a request to a receiver has come to. */
export type Attempt = Pick<WebhookDelivery, 'at' | 'milliseconds' | 'status' | 'failure' | 'response'>;

/** Sends signed requests to receivers whose address is public or allowed by the settings. */
@Injectable()
export class Receivers {
  private readonly allowed: BlockList;
  private readonly agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: IDLE_MS }),
    'https:': new https.Agent({ keepAlive: true, timeout: IDLE_MS }),
  };

  constructor(private readonly settings: WebhookSettings) {
    this.allowed = blockListOf(settings.addresses.join(' '));
  }

  /** What is wrong with a URL, worded to follow "url must". */
  problemOf(text: string): string | undefined {
    const url = URL.parse(text);
    if (url === null || url.username !== '' || url.password !== '') return 'be a URL without credentials';
    const address = addressOf(url);
    if (isIP(address) > 0 && !this.mayReach(address, url.protocol))
      return 'lead to a public address by https, or to one of WEBHOOK_ADDRESSES';
    if (url.protocol === 'http:' && this.settings.addresses.length === 0)
      return 'begin with https://, unless WEBHOOK_ADDRESSES names its address';
    return undefined;
  }

  /** The secret of a generation, as receivers have it. */
  secretOf(id: string, generation: number): string {
    return `whsec_${this.keyOf(id, generation).toString('base64')}`;
  }

  /** Posts a body once. @throws AbortError when `stop` ends it. */
  async post(
    webhook: Webhook,
    messageId: string,
    body: string,
    stop = new AbortController().signal,
  ): Promise<Attempt> {
    const timeout = AbortSignal.timeout(this.settings.timeout);
    const at = new Date();
    const start = performance.now();
    const attempt = { at, status: null, failure: null, response: null };
    try {
      const headers = {
        'Content-Type': JSON_TYPE,
        'User-Agent': 'plant-store',
        ...this.signaturesOf(webhook, messageId, body),
      };
      const signal = AbortSignal.any([stop, timeout]);
      const response = await this.send(new URL(webhook.url), headers, body, signal);
      const { statusCode: status = 0 } = response;
      const milliseconds = Math.round(performance.now() - start);
      const beginning = await beginningOf(response);
      if (status >= 200 && status < 300) return { ...attempt, milliseconds, status };
      const failure = `The receiver returned ${status}.`;
      return { ...attempt, milliseconds, status, failure, response: beginning || null };
    } catch (error) {
      stop.throwIfAborted();
      const failure = this.reasonOf(error, timeout);
      return { ...attempt, milliseconds: Math.round(performance.now() - start), failure };
    }
  }

  private reasonOf(error: unknown, timeout: AbortSignal): string {
    if (error === NOT_ALLOWED) return NOT_ALLOWED.message;
    if (timeout.aborted) return `The receiver did not respond within ${this.settings.timeout / 1000} s.`;
    return `The connection to the receiver failed (${(error as NodeJS.ErrnoException).code}).`;
  }

  /** Follows no redirect. */
  private async send(
    url: URL,
    headers: http.OutgoingHttpHeaders,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const protocol = url.protocol as keyof typeof this.agents;
    // Node.js does not call `lookup` for a literal address.
    if (isIP(addressOf(url)) > 0 && !this.mayReach(addressOf(url), protocol)) throw NOT_ALLOWED;
    const lookup = hostLookup((found) => {
      if (!found.every(({ address }) => this.mayReach(address, protocol))) throw NOT_ALLOWED;
    });
    const options = { method: 'POST', headers, agent: this.agents[protocol], lookup, signal };
    const request = (protocol === 'https:' ? https : http).request(url, options);
    // After the response, `once` stops handling errors; this prevents a crash.
    request.on('error', () => undefined).end(body);
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    return response;
  }

  /** The headers of Standard Webhooks (https://www.standardwebhooks.com). */
  private signaturesOf({ id, generation, rotatedAt }: Webhook, messageId: string, body: string) {
    const timestamp = Math.floor(Date.now() / 1000);
    const isOverlap = rotatedAt !== null && Date.now() - rotatedAt.getTime() < OVERLAP_MS;
    const signatures = (isOverlap ? [generation, generation - 1] : [generation]).map((each) => {
      const signature = createHmac('sha256', this.keyOf(id, each)).update(
        `${messageId}.${timestamp}.${body}`,
      );
      return `v1,${signature.digest('base64')}`;
    });
    return {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    };
  }

  private keyOf(id: string, generation: number): Buffer {
    return createHmac('sha256', this.settings.WEBHOOK_KEY ?? '')
      .update(`${id}.${generation}`)
      .digest();
  }

  private mayReach(address: string, protocol: string): boolean {
    // Removes the zone of an IPv6 address.
    const [bare = ''] = address.split('%');
    const family = isIPv6(bare) ? 'ipv6' : 'ipv4';
    const isPublic = !NOT_PUBLIC[family].check(bare, family);
    return (isPublic && protocol === 'https:') || this.allowed.check(bare, family);
  }
}

function addressOf({ hostname }: URL): string {
  return hostname.replaceAll(/[[\]]/g, '');
}

/** Reads a body, as far as it comes in time, and returns its beginning. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => response.destroy(), RESPONSE_MS);
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      if (length < MAX_KEPT) kept.push(part);
      if ((length += part.length) > MAX_RESPONSE) break;
    }
  } catch {
    // The status has already arrived.
  } finally {
    clearTimeout(timer);
  }
  const bytes = Buffer.concat(kept).subarray(0, MAX_KEPT);
  // PostgreSQL stores no NUL. `stream` leaves out a character that is cut.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
}

/** @param ranges addresses and ranges, separated by spaces. */
function blockListOf(ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(' ').filter((text) => text !== '')) {
    const [address = '', bits] = range.split('/');
    const isV6 = isIPv6(address);
    list.addSubnet(address, Number(bits ?? (isV6 ? 128 : 32)), isV6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
