import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { AUDIENCE, base64url, type IdentityProvider, seconds } from './identity-provider.js';

/** Makes tokens that are refused, of each kind as many as wanted, no two of them the same. */
export async function refusedTokens(
  provider: IdentityProvider,
): Promise<Record<string, (index: number) => string>> {
  const rsa = { alg: 'RS256', typ: 'at+jwt', kid: await provider.rotate('RS256') };
  const ec = { alg: 'ES256', typ: 'at+jwt', kid: await provider.rotate('ES256') };
  const keyOf = (kid: string) => provider.issuer.keys.toJSON(true).find((key) => key.kid === kid) ?? {};
  const privateKey = createPrivateKey({ key: keyOf(ec.kid), format: 'jwk' });
  const publicKey = createPublicKey({ key: keyOf(rsa.kid), format: 'jwk' });
  const secret = publicKey.export({ type: 'spki', format: 'pem' });
  const claims = (index: number, changes: object = {}) => ({
    iss: provider.url,
    aud: AUDIENCE,
    sub: 'sub-1',
    exp: seconds(3600),
    scope: 'plants:read plants:write admin',
    jti: `${index}`,
    ...changes,
  });
  const token = (header: object, payload: object, signer: (signing: string) => Buffer) => {
    const signing = [header, payload].map(base64url).join('.');
    return `${signing}.${signer(signing).toString('base64url')}`;
  };
  const signed = (signing: string) =>
    sign('SHA256', Buffer.from(signing), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const hmac = (signing: string) => createHmac('sha256', secret).update(signing).digest();
  return {
    'forged, RS256': (index) => token(rsa, claims(index), () => randomBytes(256)),
    'forged, ES256': (index) => token(ec, claims(index), () => randomBytes(64)),
    expired: (index) => token(ec, claims(index, { exp: seconds(-60) }), signed),
    'for another audience': (index) => token(ec, claims(index, { aud: 'https://other.example.org' }), signed),
    'of another algorithm': (index) =>
      index % 2 === 0
        ? token({ ...rsa, alg: 'HS256' }, claims(index), hmac)
        : token({ ...rsa, alg: 'none' }, claims(index), () => Buffer.alloc(0)),
    'with an unknown key': (index) =>
      token({ ...ec, kid: `unknown-${index}` }, claims(index), () => randomBytes(64)),
  };
}
