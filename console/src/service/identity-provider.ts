/** Carries the result from the sign-in window to its opener. */
const CHANNEL = 'plant-store-sign-in';

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
  // Few users need it.
  const oauth = await import('oauth4webapi');
  const address = new URL(issuer);
  const options = { [oauth.allowInsecureRequests]: address.protocol === 'http:' };
  const client = { client_id: clientId };
  try {
    const server = await oauth.processDiscoveryResponse(
      address,
      await oauth.discoveryRequest(address, options),
    );
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const redirect = new URL('./', document.baseURI).href;
    const authorization = new URL(server.authorization_endpoint ?? '');
    for (const [name, value] of Object.entries({
      ...client,
      response_type: 'code',
      redirect_uri: redirect,
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }))
      authorization.searchParams.set(name, value);
    // Before the window can return.
    const returning = parametersWith(state);
    opened.location.href = authorization.href;
    const authorized = oauth.validateAuthResponse(server, client, await returning, state);
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        authorized,
        redirect,
        verifier,
        options,
      ),
    );
    return token;
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError)
      throw new Error(error.error_description ?? error.error, { cause: error });
    throw new Error(`Sign-in at ${address.host} failed: ${(error as Error).message}`, { cause: error });
  }
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

/** The parameters of the authorization response with this state. */
async function parametersWith(state: string): Promise<URLSearchParams> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<URLSearchParams>((resolve) =>
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const parameters = new URLSearchParams(data);
      if (parameters.get('state') === state) resolve(parameters);
    }),
  ).finally(() => channel.close());
}

async function fetchJson<Body>(address: string): Promise<Body> {
  const response = await fetch(address, { credentials: 'omit', cache: 'no-store' });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}
