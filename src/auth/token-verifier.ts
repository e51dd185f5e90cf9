import { timingSafeEqual } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { Injectable, Optional } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import type { Principal } from './principal.js';
import { digest } from './token-secret.js';
import { isIssued, isPlausible, JWT, TOKEN68 } from '../validation/token-format.js';

/** How long a token that was found valid is not looked up again: a revocation takes effect within this time. */
const MEMORY_MS = 2_000;

/** The same of a JWT, which nobody can revoke; a key that its provider has withdrawn is used for as long. */
const JWT_MEMORY_MS = 60_000;

/** How much longer a verified token lets its owner see what needs no database while that is away. */
const OUTAGE_MEMORY_MS = 3_600_000;

/** Bounds the memory that verified tokens take; past it the oldest is looked up again. */
const MEMORY_SIZE = 10_000;

/** A request that goes on when its token has ended is stopped within two of these, in milliseconds. */
const WATCH_INTERVAL_MS = 900;

/** How long tokens that are used the first time on a day wait for others, to be noted in one statement. */
const NOTE_AFTER_MS = 1_000;

/** Tokens that one such statement notes at most; the others are noted when they are looked up again. */
const NOTED_AT_ONCE = 1_000;

/** Tells what became of every token that was shown, to whoever counts that, as a `TokenCheck`. */
export const tokenChecks = channel('plant-store.token-checks');

/** A token is remembered or looked up, and refused for one of the other reasons. */
export type TokenCheck = 'remembered' | 'looked up' | TokenRefusal;
export type TokenRefusal = 'malformed' | 'unknown' | 'expired' | 'revoked' | 'invalid_jwt';

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
  private readonly lookUps = new Map<string, Promise<Principal | TokenRefusal>>();

  /** The ids of tokens that were used today, and are not noted yet. */
  private readonly used = new Set<string>();

  constructor(
    private readonly tokens: AccessTokensService,
    private readonly settings: Settings,
    @Optional() private readonly provider?: IdentityProvider,
  ) {}

  /** How many verified tokens are in memory. */
  get size(): number {
    return this.verified.size;
  }

  /** Whom the valid token with this secret is for if it was verified a moment ago; undefined when that takes a look-up. */
  recall(secret: string): Principal | undefined {
    const principal = this.recallFor(secret, 0);
    if (principal !== undefined) tokenChecks.publish('remembered' satisfies TokenCheck);
    return principal;
  }

  /** The same if that was within the last hour: for what may be seen while nobody can tell whether the token is revoked. */
  recallInOutage(secret: string): Principal | undefined {
    return this.recallFor(secret, OUTAGE_MEMORY_MS);
  }

  /**
   * Whether a stranger may have guessed this secret. Nobody can guess a token of the service or the signature of a JWT; the
   * configured token, and one that was valid at its last look-up, are known.
   */
  isGuess(secret: string): boolean {
    if (isIssued(secret) || (this.provider !== undefined && JWT.test(secret))) return false;
    const presented = digest(secret);
    return presented !== digest(this.settings.bootstrapToken ?? '') && !this.verified.has(presented);
  }

  /** Whom the valid token with this secret is for; null when it is malformed, unknown, expired or revoked. */
  async verify(secret: string): Promise<Principal | null> {
    if (!TOKEN68.test(secret) || !isPlausible(secret)) return refuse('malformed');
    const presented = digest(secret);
    const found = await (this.lookUps.get(presented) ?? this.lookUp(secret, presented));
    if (typeof found === 'string') return refuse(found);
    return isCurrent(found) ? found : refuse('expired');
  }

  /** Looks a token up before it is valid again. */
  forget(digestOfSecret: string): void {
    this.verified.delete(digestOfSecret);
  }

  /** Calls `onEnd` once a second when the token with this secret is not valid any more, until `signal` aborts. */
  watch(secret: string, signal: AbortSignal, onEnd: () => void): void {
    // A client may have gone during the look-up, and a signal tells only once.
    if (signal.aborted) return;
    const ask = async () => {
      // While the database is away nobody knows.
      const token = await this.verify(secret).catch(() => undefined);
      if (token === null) onEnd();
    };
    const asking = setInterval(() => void ask(), WATCH_INTERVAL_MS);
    signal.addEventListener('abort', () => clearInterval(asking));
  }

  private recallFor(secret: string, extraMs: number): Principal | undefined {
    const known = this.verified.get(digest(secret));
    if (known === undefined || performance.now() >= known.staleAt + extraMs) return undefined;
    return isCurrent(known.principal) ? known.principal : undefined;
  }

  private lookUp(secret: string, presented: string): Promise<Principal | TokenRefusal> {
    tokenChecks.publish('looked up' satisfies TokenCheck);
    const startedAt = performance.now();
    const provider = JWT.test(secret) ? this.provider : undefined;
    const staleAt = startedAt + (provider === undefined ? MEMORY_MS : JWT_MEMORY_MS);
    const lookUp = (provider === undefined ? this.find(presented) : verifyJwt(provider, secret))
      .then((found) => {
        // Even in an outage nobody gets in with a token of which the last thing known is that it is not valid.
        this.verified.delete(presented);
        if (typeof found !== 'string') this.remember(presented, { principal: found, staleAt });
        return found;
      })
      .finally(() => this.lookUps.delete(presented));
    this.lookUps.set(presented, lookUp);
    return lookUp;
  }

  private async find(presented: string): Promise<Principal | TokenRefusal> {
    const token = await this.tokens.findByDigest(presented);
    if (token === null || !isSame(token, presented)) return 'unknown';
    if (token.revokedAt !== null) return 'revoked';
    if (!isCurrent(token)) return 'expired';
    this.noteUse(token);
    return token;
  }

  /** Notes the day on which a token is used, once a day and behind the request that uses it. */
  private noteUse({ id, lastUsedOn }: AccessToken): void {
    const today = new Date().toISOString().slice(0, 10);
    if (lastUsedOn !== null && lastUsedOn >= today) return;
    if (this.used.size === 0) setTimeout(() => this.writeUse(today), NOTE_AFTER_MS).unref();
    if (this.used.size < NOTED_AT_ONCE) this.used.add(id);
  }

  private writeUse(day: string): void {
    const ids = [...this.used];
    this.used.clear();
    // Where it fails, the next look-up of a token leads here again.
    this.tokens.noteUse(ids, day).catch(() => undefined);
  }

  private remember(presented: string, verification: Verification): void {
    this.verified.set(presented, verification);
    const [oldest] = this.verified.keys();
    if (this.verified.size > MEMORY_SIZE && oldest !== undefined) this.verified.delete(oldest);
  }
}

async function verifyJwt(provider: IdentityProvider, secret: string): Promise<Principal | TokenRefusal> {
  return (await provider.verify(secret)) ?? 'invalid_jwt';
}

function refuse(cause: TokenRefusal): null {
  tokenChecks.publish(cause);
  return null;
}

/** Whether it is this token; digests are compared in a time that does not tell where they differ. */
function isSame(token: AccessToken, presented: string): boolean {
  return timingSafeEqual(Buffer.from(token.digest), Buffer.from(presented));
}

function isCurrent({ expiresAt }: Principal): boolean {
  return expiresAt === null || expiresAt.getTime() > Date.now();
}
