import { Reflector } from '@nestjs/core';

/** Opens a handler or a whole controller to requests without an access token. */
export const Public = Reflector.createDecorator<void, true>({ transform: () => true });
