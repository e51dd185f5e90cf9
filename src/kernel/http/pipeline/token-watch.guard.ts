import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerCredentials } from '../../auth/bearer-auth.guard.js';
import { invalidToken } from '../../auth/challenge.js';
import { exchangeOf } from '../connection/exchange.js';
import { TokenVerifier } from '../../auth/token-verifier.js';

/** Milliseconds between two checks of a token. */
const CHECK_EVERY_MS = 900;

/**
 * Ends a streaming request within 2 seconds after its token has ended.
 *
 * An import still returns its result. A client that does not read the result is cut off.
 */
@Injectable()
export class TokenWatchGuard implements CanActivate {
  constructor(private readonly verifier: TokenVerifier) {}

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const secret = bearerCredentials(http.getRequest<Request>());
    const exchange = exchangeOf(http.getResponse<Response>());
    // The client may have left during the look-up; an aborted signal does not fire again.
    if (secret === undefined || exchange.hasEnded) return true;
    const check = async () => {
      if (!(await this.verifier.hasEnded(secret))) return;
      if (exchange.failure === undefined) exchange.fail(invalidToken());
      else exchange.request.socket.destroy();
    };
    const timer = setInterval(() => void check(), CHECK_EVERY_MS);
    exchange.signal.addEventListener('abort', () => clearInterval(timer));
    return true;
  }
}
