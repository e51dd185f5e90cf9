import type { Scope } from './scope.js';

/** Who makes a request: an access token of the service, or whom one of the identity provider is for. */
export interface Principal {
  /** By which the log knows it. */
  readonly id: string;
  /** What it is for; absent for one of the identity provider. */
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** null means never. */
  readonly expiresAt: Date | null;
}
