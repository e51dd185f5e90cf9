import type { AccessToken } from '../../auth/access-token.entity.js';
import { digest } from '../../auth/access-tokens.service.js';
import { type Finding, ok, problem, warning } from './finding.js';

/** Milliseconds before a token expires in which it is time to replace it: 14 days. */
const SOON_MS = 14 * 86_400_000;

/** Whether anybody can get in, now and during the next days. */
export function* checkTokens(
  tokens: readonly AccessToken[],
  bootstrapToken: string | undefined,
): Generator<Finding> {
  const [now, kept] = [Date.now(), tokens.filter(({ revokedAt }) => revokedAt === null)];
  const [expired, valid] = [expiringBefore(kept, now), kept.filter((token) => !expiresBefore(token, now))];
  const ending = expiringBefore(valid, now + SOON_MS);
  if (tokens.length === 0)
    yield warning('tokens', 'There is no token.', 'The next start makes one and prints it once.');
  else if (valid.length === 0)
    yield problem(
      'tokens',
      'No token is valid: nobody can use the service.',
      'Run plant-store token create.',
    );
  else yield ok('tokens', `${valid.length} of ${tokens.length} are valid.`);
  if (ending.length > 0)
    yield warning(
      'tokens',
      `Within 14 days expire: ${ending.map(describe).join(', ')}.`,
      'Run plant-store token create, give its secret to the client, and revoke the old token.',
    );
  if (expired.length > 0)
    yield warning(
      'tokens',
      `Expired: ${expired.map(describe).join(', ')}.`,
      'Replace those in use, and run plant-store token revoke for each.',
    );
  const bootstrap = bootstrapToken && tokens.find((token) => token.digest === digest(bootstrapToken));
  if (bootstrap && bootstrap.revokedAt !== null)
    yield warning(
      'tokens',
      `BOOTSTRAP_TOKEN is the token ${bootstrap.id}, which is revoked and stays so.`,
      'Choose another one, or none.',
    );
}

function expiringBefore(tokens: readonly AccessToken[], time: number): AccessToken[] {
  return tokens.filter((token) => expiresBefore(token, time));
}

function expiresBefore({ expiresAt }: AccessToken, time: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= time;
}

function describe({ id, name, expiresAt }: AccessToken): string {
  return `${id} (${name}) on ${expiresAt?.toISOString().slice(0, 10)}`;
}
