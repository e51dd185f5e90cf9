import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';
import type { Scope } from './scope.js';

/** ISO 8601 in UTC: sorts as text, and reads the same in every database. */
const asIsoText: ValueTransformer = {
  to: (value: Date | null | undefined) => value?.toISOString() ?? value,
  from: (value: string | null) => value && new Date(value),
};

/** The scopes of one token, separated by spaces (RFC 6749 section 3.3). */
const asScopeList: ValueTransformer = {
  to: (value: readonly Scope[] | undefined) => value?.join(' '),
  from: (value: string) => value.split(' '),
};

/** A row of `access_tokens`: everything about a bearer token except its secret. */
@Entity('access_tokens')
export class AccessToken {
  /** Short public name by which the command line refers to the token. */
  @PrimaryColumn('text')
  id: string;

  /** What the token is for, in the words of who made it. */
  @Column('text')
  name: string;

  /** SHA-256 of the secret in hexadecimal; unique. */
  @Column('text')
  digest: string;

  @Column('text', { transformer: asScopeList })
  scopes: readonly Scope[];

  @Column('text', { name: 'created_at', transformer: asIsoText })
  createdAt: Date;

  @Column('text', { name: 'expires_at', nullable: true, transformer: asIsoText })
  expiresAt: Date | null;

  @Column('text', { name: 'revoked_at', nullable: true, transformer: asIsoText })
  revokedAt: Date | null;
}
