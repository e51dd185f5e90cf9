import type { AccessTokensService } from '../auth/access-tokens.service.js';
import {
  type TokenCheck,
  tokenChecks,
  type TokenRefusal,
  type TokenVerifier,
} from '../auth/token-verifier.js';
import { answeredErrors } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { patiently } from '../limits/patience.js';
import type { Meter } from './meter.js';

/** Causes that show from the start, so that the first refusal is an increase. */
const CAUSES: readonly (TokenRefusal | 'missing' | 'insufficient_scope')[] = [
  'missing',
  'insufficient_scope',
  'malformed',
  'unknown',
  'expired',
  'revoked',
  'invalid_jwt',
];

/** Measures the cache of verified tokens, refusals, and when a token expires next. */
export function measureTokens(meter: Meter, verifier: TokenVerifier, tokens: AccessTokensService): void {
  meter.gauge(
    { name: 'plant_store_token_cache_size', help: 'Verified tokens in memory.' },
    () => verifier.size,
  );
  const hits = meter.counter({
    name: 'plant_store_token_cache_hits_total',
    help: 'Requests whose token was in memory.',
  });
  const lookUps = meter.counter({
    name: 'plant_store_token_lookups_total',
    help: 'Tokens looked up in the database, or verified as a JWT.',
  });
  const refusals = meter.counter({
    name: 'plant_store_token_refusals_total',
    help: 'Requests refused for want of a valid token with the scopes of the operation, by cause.',
    labelNames: ['cause'],
  });
  for (const cause of CAUSES) refusals.inc({ cause }, 0);
  meter.listen(tokenChecks, (check: TokenCheck) => {
    if (check === 'remembered') hits.inc();
    else if (check === 'looked up') lookUps.inc();
    else refusals.inc({ cause: check });
  });
  meter.listen(answeredErrors, (error: number) => {
    if (error === ErrorValue.MissingToken) refusals.inc({ cause: 'missing' });
    if (error === ErrorValue.InsufficientScope) refusals.inc({ cause: 'insufficient_scope' });
  });
  const nextExpiry = patiently(() => tokens.nextExpiry());
  let known: Date | null = null;
  meter.gauge(
    {
      name: 'plant_store_token_next_expiry_timestamp_seconds',
      help: 'When the next of the valid tokens expires; absent if none ever does.',
    },
    async () => {
      known = await nextExpiry().catch(() => known);
      return known === null ? undefined : known.getTime() / 1000;
    },
  );
}
