import { channel } from 'node:diagnostics_channel';
import { Injectable, Optional } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { ISSUED, JWT, TOKEN68 } from '../validation/token-format.js';
import { AccessTokensService, digest } from './access-tokens.service.js';
import type { Principal } from './principal.js';
import { RateLimiter, tooManyRequests } from './rate-limiter.js';
import { TokenIssuer } from './token-issuer.js';

/** Milliseconds for which a valid token is remembered: a revocation takes effect within this time. */
const MEMORY_MS = 2_000;

/** Milliseconds for which a valid JWT is remembered, even if its key is withdrawn. JWTs cannot be revoked. */
const JWT_MEMORY_MS = 60_000;

/** Extra milliseconds for which operations that do not need the database accept a verified token while it is away. */
const OUTAGE_MEMORY_MS = 3_600_000;

/** The maximum number of remembered tokens; beyond it the oldest is forgotten. */
const MEMORY_SIZE = 10_000;

/** Look-ups of unknown tokens by an address: a flood of them leaves connections to other requests. */
const LOOK_UPS = { rate: 100, burst: 1_000 };

/** Milliseconds between two look-ups of a token with streaming requests, however many it has. */
const WATCH_MEMORY_MS = 900;

/** Publishes the outcome of every check of a token, as a `TokenCheck`. */
export const tokenChecks = channel('plant-store.token-checks');

/** How a token was checked, from memory or by a look-up, or why it was refused. */
export type TokenCheck = 'remembered' | 'looked up' | TokenRefusal;
export type TokenRefusal = 'malformed' | 'unknown' | 'expired' | 'revoked' | 'invalid_jwt';

interface Verification {
  readonly principal: Principal;
  /** When the token must be looked up again (`performance.now()`). */
  readonly staleAt: number;
}

/** Tells whether a bearer token is valid now, without a query or a signature check for each request. */
@Injectable()
export class TokenVerifier {
  /** Valid tokens by digest, oldest first. Invalid ones are not remembered: a new token works at once, and guesses take no memory. */
  private readonly verified = new Map<string, Verification>();
  /** Running look-ups by digest. Concurrent requests share them. */
  private readonly lookUps = new Map<string, Promise<Principal | TokenRefusal>>();
  private noting: Promise<void> | undefined;
  /** Counts look-ups of unknown tokens, by address. */
  private readonly strangers = new RateLimiter(LOOK_UPS);

  constructor(
    private readonly tokens: AccessTokensService,
    private readonly settings: Settings,
    @Optional() private readonly issuer?: TokenIssuer,
  ) {}

  /** How many verified tokens are in memory. */
  get size(): number {
    return this.verified.size;
  }

  /** The principal of a remembered token; undefined if it must be looked up. */
  recall(secret: string): Principal | undefined {
    const principal = this.recallFor(secret, 0);
    if (principal !== undefined) tokenChecks.publish('remembered' satisfies TokenCheck);
    return principal;
  }

  /** The principal of a token that was verified within the last hour. Only for an outage, in which a revocation cannot be noticed. */
  recallInOutage(secret: string): Principal | undefined {
    return this.recallFor(secret, OUTAGE_MEMORY_MS);
  }

  /**
   * Whether this secret may be a guess. Tokens of the service and signatures of JWTs cannot be guessed; the configured token and
   * tokens that were valid at their last look-up are known.
   */
  isGuess(secret: string): boolean {
    return !ISSUED.test(secret) && !this.isIssuedElsewhere(secret) && !this.isKnown(digest(secret));
  }

  /** Whether this looks like a JWT of the configured `TokenIssuer`. */
  private isIssuedElsewhere(secret: string): boolean {
    return this.issuer !== undefined && JWT.test(secret);
  }

  /**
   * Returns the principal of a token, or null if it is malformed, unknown, expired or revoked.
   *
   * @param address the client's.
   * @throws ApiException 42900 after too many look-ups of unknown tokens from this address.
   */
  async verify(secret: string, address?: string): Promise<Principal | null> {
    const found = await this.find(secret, address);
    if (typeof found !== 'string' && isCurrent(found)) return found;
    tokenChecks.publish((typeof found === 'string' ? found : 'expired') satisfies TokenCheck);
    return null;
  }

  /** Forgets a token, so that its next use is looked up. */
  forget(digestOfSecret: string): void {
    this.verified.delete(digestOfSecret);
  }

  /** Whether a token is no longer valid. False while the database is away. */
  async hasEnded(secret: string): Promise<boolean> {
    if (this.recallFor(secret, WATCH_MEMORY_MS - MEMORY_MS) !== undefined) return false;
    return (await this.verify(secret).catch(() => undefined)) === null;
  }

  private recallFor(secret: string, extraMs: number): Principal | undefined {
    const known = this.verified.get(digest(secret));
    if (known === undefined || performance.now() >= known.staleAt + extraMs) return undefined;
    return isCurrent(known.principal) ? known.principal : undefined;
  }

  private isKnown(key: string): boolean {
    return key === digest(this.settings.BOOTSTRAP_TOKEN ?? '') || this.verified.has(key);
  }

  private find(secret: string, address = ''): Promise<Principal | TokenRefusal> | TokenRefusal {
    if (!TOKEN68.test(secret)) return 'malformed';
    const key = digest(secret);
    let lookUp = this.lookUps.get(key);
    if (lookUp === undefined) {
      if (!this.isIssuedElsewhere(secret) && !this.isKnown(key)) {
        const { isAllowed, retryAfter } = this.strangers.take(address);
        if (!isAllowed)
          throw tooManyRequests(retryAfter, 'Too many unknown access tokens from this address.');
      }
      lookUp = this.lookUp(secret, key).finally(() => this.lookUps.delete(key));
      this.lookUps.set(key, lookUp);
    }
    return lookUp;
  }

  private async lookUp(secret: string, key: string): Promise<Principal | TokenRefusal> {
    tokenChecks.publish('looked up' satisfies TokenCheck);
    const startedAt = performance.now();
    const issuer = this.isIssuedElsewhere(secret) ? this.issuer : undefined;
    const found = await (issuer === undefined ? this.findToken(key) : issuer.verify(secret));
    // A refused token is forgotten, so that no outage accepts it.
    this.verified.delete(key);
    if (found === null) return 'invalid_jwt';
    if (typeof found === 'string') return found;
    const staleAt = startedAt + (issuer === undefined ? MEMORY_MS : JWT_MEMORY_MS);
    this.verified.set(key, { principal: found, staleAt });
    const [oldest] = this.verified.keys();
    if (this.verified.size > MEMORY_SIZE && oldest !== undefined) this.verified.delete(oldest);
    return found;
  }

  private async findToken(key: string): Promise<Principal | TokenRefusal> {
    const token = await this.tokens.findByDigest(key);
    if (token === null) return 'unknown';
    if (token.revokedAt !== null) return 'revoked';
    if (!isCurrent(token)) return 'expired';
    const today = new Date().toISOString().slice(0, 10);
    // Not awaited: if it fails, the next look-up writes it. One at a time, because a lost server may keep it waiting.
    if ((token.lastUsedOn ?? '') < today)
      this.noting ??= this.tokens
        .noteUse(token.id, today)
        .catch(() => undefined)
        .finally(() => (this.noting = undefined));
    return token;
  }
}

function isCurrent({ expiresAt }: Principal): boolean {
  return expiresAt === null || expiresAt.getTime() > Date.now();
}
