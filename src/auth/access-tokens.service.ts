import { randomBytes } from 'node:crypto';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, LessThan, MoreThan, Or, type Repository } from 'typeorm';
import { AccessToken } from './access-token.entity.js';
import { ADMIN, type Scope } from './scope.js';
import { digest, generateSecret } from './token-secret.js';

/** The id of a token that was made because there was none: the primary key lets only one in. */
const FIRST_ID = 'bootstrap';

/** The valid tokens with `admin`; PostgreSQL locks them, so that nobody decides by one that somebody else revokes just now. */
const VALID_ADMINS = `SELECT id FROM access_tokens
  WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) AND ' ' || scopes || ' ' LIKE '% ${ADMIN} %' ORDER BY id`;

/** Digests that one statement looks up at most. */
const LOOKED_UP_AT_ONCE = 256;

interface NewAccessToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** null means that the token never expires. */
  readonly expiresAt: Date | null;
}

/** A token together with its secret, which is known only at this moment. */
export interface IssuedAccessToken {
  readonly token: AccessToken;
  readonly secret: string;
}

/** Issues, lists and revokes access tokens. */
@Injectable()
export class AccessTokensService {
  /** Those that a statement is looking up, and behind them those that wait for the next one. */
  private readonly lookUps: (PromiseWithResolvers<AccessToken | null> & {
    readonly digestOfSecret: string;
  })[] = [];

  constructor(@InjectRepository(AccessToken) private readonly tokens: Repository<AccessToken>) {}

  /** Makes a token with a new random secret. */
  async issue(newToken: NewAccessToken): Promise<IssuedAccessToken> {
    const secret = generateSecret();
    const token = this.describe(newToken, secret);
    await this.tokens.insert(token);
    return { token, secret };
  }

  /** Makes a token of a secret chosen elsewhere, unless it exists, and returns it; one that was revoked stays revoked. */
  async adopt(newToken: NewAccessToken, secret: string): Promise<AccessToken> {
    const token = this.describe(newToken, secret);
    await this.insertUnlessTaken(token);
    return (await this.findByDigest(token.digest)) ?? token;
  }

  /** Makes a token if there is none at all and returns its secret; of instances that do so at the same time, one succeeds. */
  async issueFirst(newToken: NewAccessToken): Promise<string | undefined> {
    if (await this.tokens.exists()) return undefined;
    const secret = generateSecret();
    await this.insertUnlessTaken(Object.assign(this.describe(newToken, secret), { id: FIRST_ID }));
    return (await this.findByDigest(digest(secret))) === null ? undefined : secret;
  }

  /** Every token, oldest first, expired and revoked ones included. */
  list(): Promise<AccessToken[]> {
    return this.tokens.find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** The oldest tokens behind a place in the order of `list()`, which is when a token was made, and its id. */
  page(limit: number, after?: { readonly createdAt: string; readonly id: string }): Promise<AccessToken[]> {
    const tokens = this.tokens.createQueryBuilder('token').limit(limit);
    if (after !== undefined) tokens.where('(token.createdAt, token.id) > (:createdAt, :id)', after);
    return tokens.orderBy({ 'token.createdAt': 'ASC', 'token.id': 'ASC' }).getMany();
  }

  /** Revokes a token for good; null when there is none with this id. Revoking twice keeps the first time. */
  async revoke(id: string): Promise<AccessToken | null> {
    await this.tokens.update({ id, revokedAt: IsNull() }, { revokedAt: new Date() });
    return this.tokens.findOneBy({ id });
  }

  /** The same, but the only valid token with `admin` stays as it is, and is returned so. */
  async revokeUnlessLastAdmin(id: string): Promise<AccessToken | null> {
    const isPostgres = this.tokens.manager.dataSource.options.type === 'postgres';
    const now = new Date();
    await this.tokens
      .createQueryBuilder()
      .update()
      .set({ revokedAt: now })
      .where({ id, revokedAt: IsNull() })
      .andWhere(
        `id NOT IN (SELECT min(id) FROM (${VALID_ADMINS} ${isPostgres ? 'FOR UPDATE' : ''}) AS admins HAVING count(*) = 1)`,
        { now: now.toISOString() },
      )
      .execute();
    return this.tokens.findOneBy({ id });
  }

  /** Notes that tokens are used on a day, unless they were used on a later one. */
  async noteUse(ids: readonly string[], day: string): Promise<void> {
    await this.tokens.update({ id: In(ids), lastUsedOn: Or(IsNull(), LessThan(day)) }, { lastUsedOn: day });
  }

  /** When the next of the valid tokens expires; null when none of them ever does. */
  async nextExpiry(): Promise<Date | null> {
    const next = await this.tokens.findOne({
      where: { revokedAt: IsNull(), expiresAt: MoreThan(new Date()) },
      order: { expiresAt: 'ASC' },
    });
    return next?.expiresAt ?? null;
  }

  /** The token whose secret has this digest, whatever its state; null when there is none. Look-ups share statements. */
  findByDigest(digestOfSecret: string): Promise<AccessToken | null> {
    const lookUp = { digestOfSecret, ...Promise.withResolvers<AccessToken | null>() };
    if (this.lookUps.push(lookUp) === 1) void this.lookUpTogether();
    return lookUp.promise;
  }

  private async lookUpTogether(): Promise<void> {
    while (this.lookUps.length > 0) {
      // On SQLite a statement is over before the next request is read.
      await turnOfTheEventLoop();
      const batch = this.lookUps.slice(0, LOOKED_UP_AT_ONCE);
      try {
        const digests = batch.map(({ digestOfSecret }) => digestOfSecret);
        const found = await this.tokens.findBy({ digest: In(digests) });
        for (const { digestOfSecret, resolve } of this.lookUps.splice(0, batch.length))
          resolve(found.find((token) => token.digest === digestOfSecret) ?? null);
      } catch (error) {
        // Those behind it would wait for the same timeout once more.
        for (const { reject } of this.lookUps.splice(0)) reject(error);
      }
    }
  }

  private describe(newToken: NewAccessToken, secret: string): AccessToken {
    return this.tokens.create({
      ...newToken,
      id: randomBytes(6).toString('hex'),
      digest: digest(secret),
      createdAt: new Date(),
      revokedAt: null,
      lastUsedOn: null,
    });
  }

  /** One statement, so that instances that start at the same time do not get in each other's way. */
  private async insertUnlessTaken(token: AccessToken): Promise<void> {
    await this.tokens.createQueryBuilder().insert().values(token).orIgnore().execute();
  }
}
