import type { AccessTokensService } from '../auth/access-tokens.service.js';
import { type TokenCheck, tokenChecks, type TokenVerifier } from '../auth/token-verifier.js';
import { answeredErrors } from '../errors/answered-errors.js';
import { ErrorValue } from '../errors/error-value.js';
import { by, type Meter } from './meter.js';
import { patiently } from './patiently.js';

/** Measures the cache of verified tokens, refusals, and when a token expires next. */
export function measureTokens(meter: Meter, verifier: TokenVerifier, tokens: AccessTokensService): void {
  const checks = {
    remembered: 0,
    'looked up': 0,
    malformed: 0,
    unknown: 0,
    expired: 0,
    revoked: 0,
    invalid_jwt: 0,
  };
  const refusals = { missing: 0, insufficient_scope: 0 };
  meter.listen(tokenChecks, (check: TokenCheck) => (checks[check] += 1));
  meter.listen(answeredErrors, (error: number) => {
    if (error === ErrorValue.MissingToken) refusals.missing += 1;
    if (error === ErrorValue.InsufficientScope) refusals.insufficient_scope += 1;
  });
  meter.gauge(
    { name: 'plant_store_token_cache_size', help: 'Verified tokens in memory.' },
    () => verifier.size,
  );
  meter.counter(
    {
      name: 'plant_store_token_cache_hits_total',
      help: 'Requests whose token was in memory.',
    },
    () => checks.remembered,
  );
  meter.counter(
    {
      name: 'plant_store_token_lookups_total',
      help: 'Tokens looked up in the database, or verified as a JWT.',
    },
    () => checks['looked up'],
  );
  meter.counter(
    {
      name: 'plant_store_token_refusals_total',
      help: 'Requests refused for want of a valid token with the scopes of the operation, by cause.',
      labelNames: ['cause'],
    },
    () => {
      const { remembered: _remembered, 'looked up': _lookedUp, ...invalid } = checks;
      return by('cause', Object.entries({ ...refusals, ...invalid }));
    },
  );
  const nextExpiry = patiently(() => tokens.nextExpiry());
  let known: Date | null = null;
  meter.gauge(
    {
      name: 'plant_store_token_next_expiry_timestamp_seconds',
      help: 'When the next of the valid tokens expires; absent if none ever does.',
    },
    async () => {
      const answer = await nextExpiry();
      if (answer !== undefined) known = answer;
      return known === null ? undefined : known.getTime() / 1000;
    },
  );
}
