import type { NextFunction, Request, Response, Router } from 'express';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { PATCH_TYPES } from './media-types.js';

/**
 * Answers what no route took: 404 for an unknown path, 405 with `Allow` for a known path without the method, and 204
 * with `Allow` for OPTIONS (RFC 9110, sections 15.5.5, 15.5.6 and 9.3.7; RFC 5789, section 3.1).
 */
export function refuseUnknownRoute(router: Router) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const methods = methodsOf(router, request.path);
    const allow = methods.join(', ');
    if (methods.length === 0) next(new ApiException(ErrorValue.UnknownPath, 'There is no such path.'));
    else if (request.method === 'OPTIONS') {
      if (methods.includes('PATCH')) response.setHeader('Accept-Patch', PATCH_TYPES.join(', '));
      response.setHeader('Allow', allow).writeHead(204).end();
    } else {
      next(
        new ApiException(ErrorValue.MethodNotAllowed, `This path allows only ${allow}.`, {
          headers: { Allow: allow },
        }),
      );
    }
  };
}

/** What a layer of the router tells about itself; the types of Express leave `match` out. */
type Layer = Router['stack'][number] & { match(path: string): boolean };

function methodsOf(router: Router, path: string): string[] {
  const matching = (router.stack as Layer[])
    .filter((layer) => layer.route !== undefined && layer.match(path))
    .flatMap(({ route }) => route ?? []);
  const literal = matching.filter((route) => route.path === path);
  const methods = (literal.length > 0 ? literal : matching).flatMap(({ stack }) =>
    stack.map(({ method }) => method.toUpperCase()),
  );
  if (methods.length === 0) return [];
  if (methods.includes('GET')) methods.push('HEAD');
  return [...new Set([...methods, 'OPTIONS'])].toSorted();
}
