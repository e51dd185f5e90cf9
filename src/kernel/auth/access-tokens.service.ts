import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, LessThan, MoreThan, Or, type Repository } from 'typeorm';
import { AccessToken } from './access-token.entity.js';
import { ADMIN, type Principal, SUBJECT } from './principal.js';

/** The id of the first token, fixed so that the primary key allows only one. */
const FIRST_ID = 'bootstrap';

type NewAccessToken = Pick<AccessToken, 'name' | 'scopes' | 'expiresAt'> &
  Partial<Pick<AccessToken, 'createdBy'>>;

interface Revocation {
  readonly by?: Principal['id'];
  /** Whether to keep the last valid token with `admin`, even if another instance revokes another at the same time. */
  readonly keepLastAdmin?: boolean;
  /** Revokes also what the token has created since then, and what that has created. */
  readonly createdSince?: Date | undefined;
}

/** Issues, lists and revokes access tokens. */
@Injectable()
export class AccessTokensService {
  constructor(@InjectRepository(AccessToken) private readonly tokens: Repository<AccessToken>) {}

  /** Makes a token and returns it with its new random secret, which is not stored. */
  async issue(newToken: NewAccessToken): Promise<{ token: AccessToken; secret: string }> {
    const secret = generateSecret();
    const token = this.tokenOf(newToken, secret);
    await this.tokens.insert(token);
    return { token, secret };
  }

  /**
   * Stores a token with a given secret unless it exists, and returns it; a revoked token stays revoked.
   *
   * One statement inserts it, so that instances may start at the same time. Returns null if another token has the id.
   */
  async adopt(newToken: NewAccessToken, secret: string, id?: string): Promise<AccessToken | null> {
    const token = this.tokenOf(newToken, secret, id);
    // A start writes nothing that exists: writes may fail while reads succeed.
    const existing = await this.findByDigest(token.digest);
    if (existing !== null) return existing;
    await this.tokens.createQueryBuilder().insert().values(token).orIgnore().execute();
    return this.findByDigest(token.digest);
  }

  /** Makes the first token of a store and returns its secret; undefined if there is a token already, or another instance was faster. */
  async issueFirst(newToken: NewAccessToken): Promise<string | undefined> {
    if (await this.tokens.exists()) return undefined;
    const secret = generateSecret();
    return (await this.adopt(newToken, secret, FIRST_ID)) === null ? undefined : secret;
  }

  /** Lists tokens, oldest first, including expired and revoked ones: all, or `limit` tokens after a given one; of a creator or of all. */
  list(limit?: number, after?: AccessToken, createdBy?: Principal['id']): Promise<AccessToken[]> {
    const tokens = this.tokens.createQueryBuilder('token').limit(limit);
    if (createdBy !== undefined) tokens.where({ createdBy });
    if (after !== undefined)
      tokens.andWhere('(token.createdAt, token.id) > (:createdAt, :id)', {
        createdAt: after.createdAt.toISOString(),
        id: after.id,
      });
    return tokens.orderBy({ 'token.createdAt': 'ASC', 'token.id': 'ASC' }).getMany();
  }

  find(id: string): Promise<AccessToken | null> {
    return this.tokens.findOneBy({ id });
  }

  /**
   * Whether work set up by a principal, such as a webhook, may continue. That of a subject of the identity provider always may,
   * because JWTs are short-lived.
   */
  async isValid(id: Principal['id']): Promise<boolean> {
    const expiresAt = Or(IsNull(), MoreThan(new Date()));
    return id.startsWith(SUBJECT) || this.tokens.existsBy({ id, revokedAt: IsNull(), expiresAt });
  }

  /** Finds a token by the digest of its secret, in any state. */
  findByDigest(digestOfSecret: string): Promise<AccessToken | null> {
    return this.tokens.findOneBy({ digest: digestOfSecret });
  }

  /**
   * Revokes a token, and on request those that it created. Returns them, the token itself first; an empty array if it does not
   * exist. A second revocation keeps the time of the first. With `keepLastAdmin`, the last valid token with `admin` is returned
   * without `revokedAt`, and nothing is revoked.
   */
  revoke(id: string, { by, keepLastAdmin = false, createdSince }: Revocation = {}): Promise<AccessToken[]> {
    return this.tokens.manager.transaction(async (manager) => {
      const tokens = manager.getRepository(AccessToken);
      // On SQLite, transactions run one at a time anyway.
      if (manager.dataSource.options.type === 'postgres')
        await manager.query('LOCK TABLE access_tokens IN SHARE ROW EXCLUSIVE MODE');
      const all = await tokens.find();
      const chosen = new Set(all.filter((token) => token.id === id));
      // The loop also visits what it adds.
      for (const { id: createdBy } of chosen)
        for (const token of all)
          if (token.createdBy === createdBy && createdSince && token.createdAt >= createdSince)
            chosen.add(token);
      const admins = all.filter(isValidAdmin);
      if (keepLastAdmin && admins.length > 0 && admins.every((admin) => chosen.has(admin)))
        return [...chosen];
      const revocation = { revokedAt: new Date(), revokedBy: by ?? null };
      const ids = Array.from(chosen, (token) => token.id);
      await tokens.update({ id: In(ids), revokedAt: IsNull() }, revocation);
      return Array.from(chosen, (token) => (token.revokedAt ? token : Object.assign(token, revocation)));
    });
  }

  /** Stores the day of the last use of a token, unless a later day is stored. */
  async noteUse(id: string, day: string): Promise<void> {
    await this.tokens.update({ id, lastUsedOn: Or(IsNull(), LessThan(day)) }, { lastUsedOn: day });
  }

  /** When the next valid token expires; null if none does. */
  async nextExpiry(): Promise<Date | null> {
    const next = await this.tokens.findOne({
      where: { revokedAt: IsNull(), expiresAt: MoreThan(new Date()) },
      order: { expiresAt: 'ASC' },
    });
    return next?.expiresAt ?? null;
  }

  private tokenOf(newToken: NewAccessToken, secret: string, id?: string): AccessToken {
    return this.tokens.create({
      ...newToken,
      id: id ?? randomBytes(6).toString('hex'),
      digest: digest(secret),
      createdAt: new Date(),
      createdBy: newToken.createdBy ?? null,
      revokedAt: null,
      revokedBy: null,
      lastUsedOn: null,
    });
  }
}

function isValidAdmin({ scopes, revokedAt, expiresAt }: AccessToken): boolean {
  return scopes.includes(ADMIN) && revokedAt === null && (expiresAt === null || expiresAt > new Date());
}

/** SHA-256 of a secret in hexadecimal: the only form in which secrets are stored. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** A new secret in the format `ISSUED`: `pst_` and 152 random bits. */
export function generateSecret(): string {
  return `pst_${randomBytes(19).toString('hex')}`;
}
