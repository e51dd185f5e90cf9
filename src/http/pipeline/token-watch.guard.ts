import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerCredentials } from '../../auth/bearer-auth.guard.js';
import { invalidToken } from '../../auth/challenge.js';
import { TokenVerifier } from '../../auth/token-verifier.js';

/**
 * Ends a request that streams within 2 seconds of its token: for routes whose requests take long.
 *
 * What has begun is ended first, so that an import answers what it has stored; who does not take that is cut off.
 */
@Injectable()
export class TokenWatchGuard implements CanActivate {
  constructor(private readonly verifier: TokenVerifier) {}

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const secret = bearerCredentials(http.getRequest<Request>());
    const { exchange } = http.getResponse<Response>();
    if (secret !== undefined) {
      this.verifier.watch(secret, exchange.signal, () => {
        if (exchange.failure === undefined) exchange.fail(invalidToken());
        else exchange.request.socket.destroy();
      });
    }
    return true;
  }
}
