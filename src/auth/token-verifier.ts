import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';
import { digest, isPlausible } from './token-secret.js';

/** How long a token that was found is not looked up again: a revocation takes effect within this time. */
const CACHE_MS = 2_000;

/** Bounds the memory that found tokens take; past it the oldest is looked up again. */
const CACHE_SIZE = 10_000;

interface LookUp {
  readonly startedAt: number;
  readonly token: Promise<AccessToken | null>;
}

/** Tells whether a bearer token is valid now, without a query for each request. */
@Injectable()
export class TokenVerifier {
  /** By digest, oldest first. Requests that arrive during a look-up share it. */
  private readonly lookUps = new Map<string, LookUp>();

  constructor(private readonly tokens: AccessTokensService) {}

  /** The valid token with this secret; null when it is malformed, unknown, expired or revoked. */
  async verify(secret: string): Promise<AccessToken | null> {
    const presented = digest(secret);
    const token = await (this.recall(presented) ?? this.lookUp(secret, presented));
    return token !== null && isSame(token.digest, presented) && isValid(token) ? token : null;
  }

  private recall(presented: string): Promise<AccessToken | null> | undefined {
    const known = this.lookUps.get(presented);
    return known !== undefined && performance.now() - known.startedAt < CACHE_MS ? known.token : undefined;
  }

  private lookUp(secret: string, presented: string): Promise<AccessToken | null> {
    if (!isPlausible(secret)) return Promise.resolve(null);
    const lookUp = { startedAt: performance.now(), token: this.tokens.findByDigest(presented) };
    this.remember(presented, lookUp);
    // What is not found is not remembered: a token works from the moment it is made, and strangers fill no memory.
    const forget = () => this.lookUps.get(presented) === lookUp && this.lookUps.delete(presented);
    lookUp.token.then((token) => token ?? forget(), forget);
    return lookUp.token;
  }

  private remember(presented: string, lookUp: LookUp): void {
    this.lookUps.delete(presented);
    this.lookUps.set(presented, lookUp);
    const [oldest] = this.lookUps.keys();
    if (this.lookUps.size > CACHE_SIZE && oldest !== undefined) this.lookUps.delete(oldest);
  }
}

/** Compares in a time that does not depend on where two digests differ. */
function isSame(stored: string, presented: string): boolean {
  return stored.length === presented.length && timingSafeEqual(Buffer.from(stored), Buffer.from(presented));
}

function isValid({ expiresAt, revokedAt }: AccessToken): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now());
}
