import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, MoreThan, Or, type Repository } from 'typeorm';
import { AccessToken } from './access-token.entity.js';
import { ADMIN, type Principal, SUBJECT } from './principal.js';

/** The id of the first token, fixed so that the primary key allows only one. */
const FIRST_ID = 'bootstrap';

type NewAccessToken = Pick<AccessToken, 'name' | 'scopes' | 'expiresAt'>;

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
   * One statement, so that instances may start at the same time. Returns null if another token has the id.
   */
  async adopt(newToken: NewAccessToken, secret: string, id?: string): Promise<AccessToken | null> {
    const token = this.tokenOf(newToken, secret, id);
    await this.tokens.createQueryBuilder().insert().values(token).orIgnore().execute();
    return this.findByDigest(token.digest);
  }

  /** Makes the first token of a store and returns its secret; undefined if there is a token already, or another instance was faster. */
  async issueFirst(newToken: NewAccessToken): Promise<string | undefined> {
    if (await this.tokens.exists()) return undefined;
    const secret = generateSecret();
    return (await this.adopt(newToken, secret, FIRST_ID)) === null ? undefined : secret;
  }

  /** Lists tokens, oldest first, including expired and revoked ones: all, or `limit` tokens after a given one. */
  list(limit?: number, after?: AccessToken): Promise<AccessToken[]> {
    const tokens = this.tokens.createQueryBuilder('token').limit(limit);
    if (after !== undefined)
      tokens.where('(token.createdAt, token.id) > (:createdAt, :id)', {
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
   * Revokes a token for good and returns it, or null if none has this id. A second revocation keeps the time of the first.
   *
   * @param keepLastAdmin refuses to revoke the last valid token with `admin`, even if another instance revokes another at the same time.
   */
  revoke(id: string, keepLastAdmin = false): Promise<AccessToken | null> {
    return this.tokens.manager.transaction(async (manager) => {
      const tokens = manager.getRepository(AccessToken);
      // On SQLite, transactions run one at a time anyway.
      if (manager.dataSource.options.type === 'postgres')
        await manager.query('LOCK TABLE access_tokens IN SHARE ROW EXCLUSIVE MODE');
      const admins = (await tokens.findBy({ revokedAt: IsNull() })).filter(
        ({ scopes, expiresAt }) => scopes.includes(ADMIN) && (expiresAt === null || expiresAt > new Date()),
      );
      const isLastAdmin = admins.length === 1 && admins[0]?.id === id;
      if (!keepLastAdmin || !isLastAdmin)
        await tokens.update({ id, revokedAt: IsNull() }, { revokedAt: new Date() });
      return tokens.findOneBy({ id });
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
      revokedAt: null,
      lastUsedOn: null,
    });
  }
}

/** SHA-256 of a secret in hexadecimal: the only form in which secrets are stored. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** A new secret in the format `ISSUED`: `pst_` and 152 bits, random by default. */
export function generateSecret(bits = randomBytes(19).toString('hex')): string {
  return `pst_${bits}`;
}
