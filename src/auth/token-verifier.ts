import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';
import { digest } from './token-secret.js';
import { isPlausible } from '../validation/token-format.js';

/** How long a token that was found valid is not looked up again: a revocation takes effect within this time. */
const MEMORY_MS = 2_000;

/** Bounds the memory that verified tokens take; past it the oldest is looked up again. */
const MEMORY_SIZE = 10_000;

/** A request that goes on when its token has ended is stopped within two of these, in milliseconds. */
const WATCH_INTERVAL_MS = 900;

interface Verification {
  readonly token: AccessToken;
  readonly startedAt: number;
}

/** Tells whether a bearer token is valid now, without a query for each request. */
@Injectable()
export class TokenVerifier {
  /** By digest, oldest first. Only valid tokens: a token works from the moment it is made, and strangers fill no memory. */
  private readonly verified = new Map<string, Verification>();
  /** By digest. Requests that arrive during a look-up share it. */
  private readonly lookUps = new Map<string, Promise<AccessToken | null>>();

  constructor(private readonly tokens: AccessTokensService) {}

  /** The valid token with this secret if it was verified a moment ago; undefined when that takes a look-up. */
  recall(secret: string): AccessToken | undefined {
    const known = this.verified.get(digest(secret));
    if (known === undefined || performance.now() - known.startedAt >= MEMORY_MS) return undefined;
    return isGood(known.token) ? known.token : undefined;
  }

  /** The valid token with this secret; null when it is malformed, unknown, expired or revoked. */
  async verify(secret: string): Promise<AccessToken | null> {
    if (!isPlausible(secret)) return null;
    const presented = digest(secret);
    const lookUp = this.lookUps.get(presented) ?? this.lookUp(presented);
    const token = await lookUp;
    return token !== null && isValid(token, presented) ? token : null;
  }

  /** Calls `onEnd` once a second when the token with this secret is not valid any more, until `signal` aborts. */
  watch(secret: string, signal: AbortSignal, onEnd: () => void): void {
    const ask = async () => {
      // While the database is away nobody knows.
      const token = await this.verify(secret).catch(() => undefined);
      if (token === null) onEnd();
    };
    const asking = setInterval(() => void ask(), WATCH_INTERVAL_MS);
    signal.addEventListener('abort', () => clearInterval(asking));
  }

  private lookUp(presented: string): Promise<AccessToken | null> {
    const startedAt = performance.now();
    const lookUp = this.tokens
      .findByDigest(presented)
      .then((token) => {
        if (token !== null && isValid(token, presented)) this.remember(presented, { token, startedAt });
        return token;
      })
      .finally(() => this.lookUps.delete(presented));
    this.lookUps.set(presented, lookUp);
    return lookUp;
  }

  private remember(presented: string, verification: Verification): void {
    this.verified.delete(presented);
    this.verified.set(presented, verification);
    const [oldest] = this.verified.keys();
    if (this.verified.size > MEMORY_SIZE && oldest !== undefined) this.verified.delete(oldest);
  }
}

/** Whether it is this token and still good; digests are compared in a time that does not tell where they differ. */
function isValid(token: AccessToken, presented: string): boolean {
  return timingSafeEqual(Buffer.from(token.digest), Buffer.from(presented)) && isGood(token);
}

/** Whether a token is neither revoked nor expired. */
function isGood({ expiresAt, revokedAt }: AccessToken): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now());
}
