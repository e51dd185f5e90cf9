import { timingSafeEqual } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import type { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import type { Principal } from './principal.js';
import { digest } from './token-secret.js';
import { isPlausible, JWT } from '../validation/token-format.js';

/** How long a token that was found valid is not looked up again: a revocation takes effect within this time. */
const MEMORY_MS = 2_000;

/** The same of a JWT, which nobody can revoke; a key that its provider has withdrawn is used for as long. */
const JWT_MEMORY_MS = 60_000;

/** Bounds the memory that verified tokens take; past it the oldest is looked up again. */
const MEMORY_SIZE = 10_000;

/** A request that goes on when its token has ended is stopped within two of these, in milliseconds. */
const WATCH_INTERVAL_MS = 900;

interface Verification {
  readonly principal: Principal;
  /** When it has to be looked up again (`performance.now()`). */
  readonly staleAt: number;
}

/** Tells whether a bearer token is valid now, without a query or a signature for each request. */
@Injectable()
export class TokenVerifier {
  /** By digest, oldest first. Only valid tokens: a token works from the moment it is made, and strangers fill no memory. */
  private readonly verified = new Map<string, Verification>();
  /** By digest. Requests that arrive during a look-up share it. */
  private readonly lookUps = new Map<string, Promise<Principal | null>>();

  constructor(
    private readonly tokens: AccessTokensService,
    @Optional() private readonly provider?: IdentityProvider,
  ) {}

  /** Whom the valid token with this secret is for if it was verified a moment ago; undefined when that takes a look-up. */
  recall(secret: string): Principal | undefined {
    const known = this.verified.get(digest(secret));
    if (known === undefined || performance.now() >= known.staleAt) return undefined;
    return isCurrent(known.principal) ? known.principal : undefined;
  }

  /** Whom the valid token with this secret is for; null when it is malformed, unknown, expired or revoked. */
  async verify(secret: string): Promise<Principal | null> {
    if (!isPlausible(secret)) return null;
    const presented = digest(secret);
    const principal = await (this.lookUps.get(presented) ?? this.lookUp(secret, presented));
    return principal !== null && isCurrent(principal) ? principal : null;
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

  private lookUp(secret: string, presented: string): Promise<Principal | null> {
    const startedAt = performance.now();
    const provider = JWT.test(secret) ? this.provider : undefined;
    const staleAt = startedAt + (provider === undefined ? MEMORY_MS : JWT_MEMORY_MS);
    const lookUp = (provider?.verify(secret) ?? this.find(presented))
      .then((principal) => {
        if (principal !== null) this.remember(presented, { principal, staleAt });
        return principal;
      })
      .finally(() => this.lookUps.delete(presented));
    this.lookUps.set(presented, lookUp);
    return lookUp;
  }

  private async find(presented: string): Promise<Principal | null> {
    const token = await this.tokens.findByDigest(presented);
    return token !== null && isValid(token, presented) ? token : null;
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
  return (
    timingSafeEqual(Buffer.from(token.digest), Buffer.from(presented)) &&
    token.revokedAt === null &&
    isCurrent(token)
  );
}

function isCurrent({ expiresAt }: Principal): boolean {
  return expiresAt === null || expiresAt.getTime() > Date.now();
}
