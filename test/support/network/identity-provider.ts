import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Events,
  type Header,
  type MutableResponse,
  type MutableRedirectUri,
  OAuth2Issuer,
  OAuth2Service,
  type Payload,
} from 'oauth2-mock-server';
import { onTestFinished, vi } from 'vitest';
import { type ChangeSettings, changeSettings, startService } from '../service.js';

/** What services of the tests are called in tokens. */
export const AUDIENCE = 'https://plants.example.org';

/** How a token differs from a good one; undefined leaves out. */
export interface TokenChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Of the key that signs it; by default the newest. */
  readonly kid?: string;
}

/** An identity provider on this machine, as a service and as its operator see it. */
export interface IdentityProvider {
  readonly issuer: OAuth2Issuer;
  readonly url: string;
  /** With which a service accepts its tokens. */
  readonly settings: Readonly<Record<'OIDC_ISSUER' | 'OIDC_AUDIENCE', string>>;
  /** The paths that it was asked for, oldest first. */
  readonly requests: readonly string[];
  /** How often somebody began to fetch its keys. */
  readonly fetches: () => number;
  /** A good access token of the user `sub-1`, with the scope `plants:read`, except for the changes. */
  token(changes?: TokenChanges): Promise<string>;
  /** Makes a key that signs from now on, and returns its id. */
  rotate(algorithm?: string): Promise<string>;
  /** Answers whoever signs in next with these parameters besides the state. */
  answerNext(parameters: Readonly<Record<string, string>>): void;
  /** From now on answers in its place; undefined ends that. */
  answerInstead(listener: RequestListener | undefined): void;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

/** Starts an identity provider with one ES256 key; it is gone when the test is over. To make a key for RSA takes 50 ms of CPU. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const issuer = new OAuth2Issuer();
  const service = new OAuth2Service(issuer);
  service.on(Events.BeforeTokenSigning, ({ header, payload }: { header: Header; payload: Payload }) => {
    header['typ'] = 'at+jwt';
    payload['sub'] = 'client-1';
    // Only who has signed in has this claim: whose scope is that of the address to sign in at.
    if (payload['amr'])
      Object.assign(payload, { aud: AUDIENCE, scope: authorizations().at(-1)?.get('scope') });
  });
  // The console does not ask for the scope openid, so it gets no ID token.
  service.on(Events.BeforeResponse, ({ body }: MutableResponse) => void delete Object(body).id_token);
  let { kid } = await issuer.keys.generate('ES256');
  const requests: string[] = [];
  const authorizations = () =>
    requests
      .filter((asked) => asked.includes('/authorize?'))
      .map((asked) => new URL(asked, issuer.url).searchParams);
  let instead: RequestListener | undefined;
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    (instead ?? service.requestHandler)(request, response);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  await listen(0);
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  issuer.url = url;
  return {
    issuer,
    url,
    settings: { OIDC_ISSUER: url, OIDC_AUDIENCE: AUDIENCE },
    requests,
    fetches: () => requests.filter((asked) => asked.endsWith('/openid-configuration')).length,
    token: async (changes = {}) =>
      issuer.buildToken({
        kid: changes.kid ?? kid,
        scopesOrTransform: (header, payload) => {
          Object.assign(header, { typ: 'at+jwt' }, changes.header);
          const good = { sub: 'sub-1', aud: AUDIENCE, client_id: 'client-1', scope: 'plants:read' };
          Object.assign(payload, good, changes.claims);
        },
      }),
    rotate: async (algorithm = 'ES256') => ({ kid } = await issuer.keys.generate(algorithm)).kid,
    answerNext: (parameters) =>
      service.once(Events.BeforeAuthorizeRedirect, ({ url: { searchParams } }: MutableRedirectUri) => {
        searchParams.delete('code');
        for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value);
      }),
    answerInstead: (listener) => (instead = listener),
    stop,
    restart: async () => listen(port),
  };
}

/** A service that accepts the tokens of an identity provider, after it has fetched its keys. */
export async function startBoth(settings: Record<string, string> = {}, changes: ChangeSettings = {}) {
  const provider = await startIdentityProvider();
  const service = await startService({ ...provider.settings, ...settings }, undefined, (configuration) => {
    changeSettings(configuration, { authFailureLimit: 1_000_000 });
    changeSettings(configuration, changes);
  });
  await vi.waitUntil(() => provider.requests.includes('/jwks'));
  return { provider, service };
}

/** The header and the claims of a token. */
export function partsOf(token: string): Record<string, unknown>[] {
  const [header = '', claims = ''] = token.split('.');
  return [header, claims].map(
    (part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>,
  );
}

/** A part of a token. */
export function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Seconds as tokens have them, counted from now. */
export function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow;
}
