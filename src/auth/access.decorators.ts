import { Reflector } from '@nestjs/core';
import type { Scope } from './scope.js';

/** Opens a handler or a whole controller to requests without an access token. */
export const Public = Reflector.createDecorator<void, true>({ transform: () => true });

/** Names the scope, or all the scopes, that a token needs for a handler or a whole controller. Without it, only `admin` may enter. */
export const RequireScope = Reflector.createDecorator<Scope | readonly Scope[], readonly Scope[]>({
  transform: (scopes) => [scopes].flat(),
});
