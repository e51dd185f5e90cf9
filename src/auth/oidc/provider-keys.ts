import { Logger } from '@nestjs/common';
import type { JWSHeaderParameters, createLocalJWKSet } from 'jose';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { fetchKeys } from './fetch-keys.js';

/** Milliseconds between two attempts to fetch the keys at least, whatever tokens come and whatever became of the first. */
const COOLDOWN_MS = 30_000;

/** Milliseconds after which they are fetched anyway, so that a key that the provider has withdrawn is forgotten. */
const MAX_AGE_MS = 600_000;

/** Milliseconds between two warnings that the provider cannot be reached. */
const SILENCE_MS = 60_000;

type Keys = ReturnType<typeof createLocalJWKSet>;
type Key = Awaited<ReturnType<Keys>>;

/** The public keys of an identity provider, which stay good while it is away. */
export class ProviderKeys {
  private readonly logger = new Logger(ProviderKeys.name);
  private readonly jose = import('jose');
  private keys: Keys | undefined;
  private triedAt = -Infinity;
  private warnedAt = -Infinity;
  private attempt: Promise<void> | undefined;
  private refreshing: NodeJS.Timeout | undefined;

  constructor(private readonly issuer: string) {}

  /** Fetches the keys now and from time to time. Nobody waits: without them, only their tokens cannot be verified. */
  start(): void {
    void this.refresh();
    this.refreshing = setInterval(() => void this.refresh(), MAX_AGE_MS).unref();
  }

  stop(): void {
    clearInterval(this.refreshing);
  }

  /**
   * The key that a token says it is signed with.
   *
   * @throws JWKSNoMatchingKey when the provider does not have it.
   * @throws ApiException 50300 when the provider could never be asked.
   */
  async find(header: JWSHeaderParameters): Promise<Key> {
    const { errors } = await this.jose;
    if (this.keys === undefined) await this.refresh();
    if (this.keys === undefined) throw this.unverifiable();
    try {
      return await this.keys(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.refresh();
      return this.keys(header);
    }
  }

  /** Fetches the keys unless that was tried a moment ago; whoever comes while it is tried waits for that. */
  private async refresh(): Promise<void> {
    if (performance.now() - this.triedAt >= COOLDOWN_MS) {
      this.triedAt = performance.now();
      this.attempt = this.fetch();
    }
    await this.attempt;
  }

  private async fetch(): Promise<void> {
    try {
      const { createLocalJWKSet } = await this.jose;
      this.keys = createLocalJWKSet(await fetchKeys(this.issuer));
    } catch (error) {
      this.warn(error as Error);
    }
  }

  private warn({ message, cause }: Error): void {
    if (performance.now() - this.warnedAt < SILENCE_MS) return;
    this.warnedAt = performance.now();
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
    this.logger.warn(`The keys of the identity provider ${this.issuer} cannot be fetched: ${reason}.`);
  }

  /** Not 401: the token may be good, and nobody has told that it is not. */
  private unverifiable(): ApiException {
    const seconds = Math.ceil((this.triedAt + COOLDOWN_MS - performance.now()) / 1000);
    return new ApiException(ErrorValue.Unavailable, 'The access token cannot be verified at the moment.', {
      headers: { 'Retry-After': String(Math.max(1, seconds)) },
    });
  }
}
