import type { Express, NextFunction, Request, Response, Router } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { PATCH_TYPES } from '../body/media-types.js';

/**
 * Responds where no route did: 404 on an unknown path, 405 with `Allow` on a known path without the method, 204 with `Allow` to
 * OPTIONS (RFC 9110, sections 15.5.5, 15.5.6 and 9.3.7; RFC 5789, section 3.1).
 */
export function refuseUnknownRoutes(instance: Express): void {
  const { router } = instance;
  instance.use((request: Request, response: Response, next: NextFunction): void => {
    const methods = allowedMethods(router, request.path);
    const allow = methods.join(', ');
    if (methods.length === 0 || (methods.includes(request.method) && request.method !== 'OPTIONS')) {
      // A route may have passed the request on.
      next(new ApiException(ErrorValue.UnknownPath, 'There is no such path.'));
    } else if (request.method === 'OPTIONS') {
      if (methods.includes('PATCH')) response.setHeader('Accept-Patch', PATCH_TYPES.join(', '));
      response.setHeader('Allow', allow).writeHead(204).end();
    } else {
      const message = `This path allows only ${allow}.`;
      next(new ApiException(ErrorValue.MethodNotAllowed, message, { headers: { Allow: allow } }));
    }
  });
}

/**
 * Puts a literal path before routes whose parameters would match it, wherever each is declared. Express and NestJS have no public
 * way: they take routes in the order of their modules, and a feature adds its own beside those of its resource.
 */
export function preferLiteralPaths({ router }: Express): void {
  const stack = router.stack as Layer[];
  for (const layer of stack) {
    const path = layer.route?.path;
    if (path === undefined) continue;
    const place = stack.indexOf(layer);
    const taker = stack.findIndex((other) => {
      const pattern = other.route?.path;
      return pattern !== undefined && other.match(path) && !layer.match(pattern);
    });
    if (taker !== -1 && taker < place) stack.splice(taker, 0, ...stack.splice(place, 1));
  }
}

/** A layer of the router; the types of Express leave `match` out. */
type Layer = Router['stack'][number] & { match(path: string): boolean };

/** The methods of a path with those that they imply, in alphabetical order. A literal path comes before patterns that match it. */
function allowedMethods({ stack }: Router, path: string): string[] {
  const matching = (stack as Layer[]).flatMap((layer) => (layer.match(path) ? (layer.route ?? []) : []));
  const literal = matching.filter((route) => route.path === path);
  const layers = (literal.length > 0 ? literal : matching).flatMap((route) => route.stack);
  const methods = layers.map(({ method }) => method.toUpperCase());
  if (methods.length === 0) return [];
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods, ...implied])].toSorted();
}
