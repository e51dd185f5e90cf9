import { createHmac, hash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Principal } from '../auth/principal.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { invalidParameter } from './resource-errors.js';
import { documented } from './resource.decorators.js';

const KEY = /^[!-~]([ -~]{0,253}[!-~])?$/;

/**
 * The id and the secret of a resource made with `Idempotency-Key`. A retry derives the same id, so it finds the resource of the
 * first request. The store keeps neither the key nor the secret.
 */
export interface Idempotency {
  /** Derived from the caller and the key. */
  readonly id: string;
  /** 152 bits derived from the caller's access token and the key, in hexadecimal. */
  readonly secret: string;
}

/** Injects what is derived from the header of a request (draft-ietf-httpapi-idempotency-key-header), and documents the header. */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): Idempotency | undefined => {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.get('Idempotency-Key');
    if (key === undefined) return undefined;
    if (!KEY.test(key)) throw invalidParameter('Idempotency-Key must be 1 to 255 printable ASCII characters');
    const { id } = request.user as Principal;
    const [, accessToken = ''] = /^\S+ +(.*)$/.exec(request.get('Authorization') ?? '') ?? [];
    return {
      id: hash('sha256', `${id} ${key}`).slice(0, 12),
      secret: createHmac('sha256', accessToken).update(key).digest('hex').slice(0, 38),
    };
  },
  [
    documented(
      ApiHeader({
        name: 'Idempotency-Key',
        description:
          'A text that the client chooses for what it wants to make, such as a UUID. A retry with the same key, body and access token returns what the first request made.',
        schema: { type: 'string', pattern: KEY.source },
      }),
    ),
  ],
);

/** 42200 */
export function keyReused(): ApiException {
  return new ApiException(
    ErrorValue.KeyReused,
    'The Idempotency-Key belongs to a request with another body. Make up another one.',
  );
}
