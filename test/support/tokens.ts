import { ADMIN, type Scope } from '../../src/kernel/auth/principal.js';
import { AccessTokensService } from '../../src/kernel/auth/access-tokens.service.js';
import type { Service } from './service.js';

/** An access token as its owner has it. */
export interface TestToken {
  readonly id: string;
  readonly secret: string;
  /** What a request with it has. */
  readonly headers: { readonly Authorization: string };
}

/** An access token as `GET /tokens` shows it. */
export interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedOn?: string;
}

/** Makes a token past HTTP, that has expired if `expiresAt` is past. */
export async function issue(
  service: Service,
  scopes: readonly Scope[] = [ADMIN],
  expiresAt: Date | null = null,
): Promise<TestToken> {
  const tokens = service.app.get(AccessTokensService);
  const { token, secret } = await tokens.issue({ name: 'test', scopes, expiresAt });
  return { id: token.id, secret, headers: { Authorization: `Bearer ${secret}` } };
}

/** Every token that the service lists, on one page. */
export async function listed(service: Service): Promise<ListedToken[]> {
  return (await service.send('GET', '/tokens?limit=1000')).body as ListedToken[];
}
