/** Carries the result from the sign-in window to its opener. */
const CHANNEL = 'plant-store-sign-in';

const OTHER_ISSUER = 'The response is from a different identity provider.';

/** The identity provider of the service (RFC 8414). */
export type IdentityProvider = Readonly<Record<'issuer' | 'clientId' | 'scope', string>>;

/** Finds the identity provider; undefined if there is none. */
export async function findIdentityProvider(): Promise<IdentityProvider | undefined> {
  const { clientId } = await fetchJson<{ clientId?: string }>('sign-in.json');
  if (clientId === undefined) return undefined;
  // Protected resource metadata (RFC 9728).
  const resource = await fetchJson<{ authorization_servers: string[]; scopes_supported?: string[] }>(
    '../.well-known/oauth-protected-resource',
  );
  const [issuer = ''] = resource.authorization_servers;
  return { issuer, clientId, scope: resource.scopes_supported?.join(' ') ?? '' };
}

/**
 * Signs the user in at the identity provider, in a separate window so that this one keeps its input, and returns the
 * access token: authorization code (RFC 6749 section 4.1) with PKCE (RFC 7636).
 */
export async function signInAt(provider: IdentityProvider): Promise<string> {
  // Before any await: browsers block windows that do not follow a click.
  const opened = open('about:blank', CHANNEL, 'popup,width=520,height=720');
  if (opened === null)
    throw new Error('The browser blocked the sign-in window. Allow pop-ups, and try again.');
  // The provider must not navigate this window.
  opened.opener = null;
  return signInWith(opened, provider).finally(() => opened.close());
}

async function signInWith(opened: Window, { issuer, clientId, scope }: IdentityProvider): Promise<string> {
  const metadata = await fetchJson<
    Readonly<Record<'issuer' | 'authorization_endpoint' | 'token_endpoint', string>>
  >(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (metadata.issuer !== issuer) throw new Error(OTHER_ISSUER);
  const [verifier, state] = [randomText(), randomText()];
  const redirect = new URL('./', document.baseURI).href;
  const address = new URL(metadata.authorization_endpoint);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope,
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
  }))
    address.searchParams.set(name, value);
  const answer = answerWith(state, issuer);
  opened.location.href = address.href;
  const code = await answer;
  const { access_token: token } = await fetchJson<{ access_token: string }>(metadata.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirect,
      code,
      code_verifier: verifier,
    }),
  });
  return token;
}

/** In the sign-in window: passes the response to the opener, closes the window, and returns true. */
export function returnFromIdentityProvider(): boolean {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) return false;
  new BroadcastChannel(CHANNEL).postMessage(location.search);
  close();
  // Browsers may refuse to close a window that has shown another origin.
  document.body.append('You can close this window.');
  return true;
}

/** The code of the authorization response with this state; its issuer must match if it has one (RFC 9207). */
async function answerWith(state: string, issuer: string): Promise<string> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<string>((resolve, reject) => {
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const answer = new URLSearchParams(data);
      if (answer.get('state') !== state) return;
      const code = answer.get('code');
      if ((answer.get('iss') ?? issuer) !== issuer) reject(new Error(OTHER_ISSUER));
      else if (code !== null) resolve(code);
      else reject(new Error(answer.get('error_description') ?? answer.get('error') ?? ''));
    });
  }).finally(() => channel.close());
}

async function fetchJson<Body>(address: string, init?: RequestInit): Promise<Body> {
  const response = await fetch(address, { ...init, credentials: 'omit', cache: 'no-store' });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}

/** A random text of characters that a code verifier allows. */
function randomText(): string {
  return crypto.randomUUID() + crypto.randomUUID();
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
}
