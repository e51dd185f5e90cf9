import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';
import { timestamp } from '../database/column-types.js';
import type { Scope } from './principal.js';

/** The scopes of one token, separated by spaces (RFC 6749 section 3.3). */
const asScopeList: ValueTransformer = {
  to: (value: readonly Scope[] | undefined) => value?.join(' '),
  from: (value: string) => value.split(' '),
};

/** The maximum length of a token's name. */
export const MAX_NAME_LENGTH = 200;

/** Control characters that a terminal would obey, including those of bidirectional text. */
const CONTROL = String.raw`\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069`;

/** The `pattern` of a token's name: not blank, without control characters. */
export const TOKEN_NAME = new RegExp(`^ *[^\\s${CONTROL}][^${CONTROL}]*$`);

/** A row of `access_tokens`: everything about a bearer token except its secret. */
@Entity('access_tokens')
export class AccessToken {
  /** Short public name by which the API and the command line refer to the token. */
  @PrimaryColumn('text')
  id: string;

  /** What the token is for, as its creator named it. */
  @Column('text')
  name: string;

  /** SHA-256 of the secret in hexadecimal; unique. */
  @Column('text')
  digest: string;

  @Column('text', { transformer: asScopeList })
  scopes: readonly Scope[];

  @Column('text', { name: 'created_at', transformer: timestamp })
  createdAt: Date;

  /** The caller who created it; null for a command, for the first token, and in rows of older versions. */
  @Column('text', { name: 'created_by', nullable: true })
  createdBy: string | null;

  /** null means that the token never expires. */
  @Column('text', { name: 'expires_at', nullable: true, transformer: timestamp })
  expiresAt: Date | null;

  @Column('text', { name: 'revoked_at', nullable: true, transformer: timestamp })
  revokedAt: Date | null;

  @Column('text', { name: 'revoked_by', nullable: true })
  revokedBy: string | null;

  /** The day of its last use in UTC, such as 2026-03-01; the log has the time. */
  @Column('text', { name: 'last_used_on', nullable: true })
  lastUsedOn: string | null;
}
