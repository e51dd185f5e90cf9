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
    const path = pathOf(layer);
    if (path === undefined) continue;
    const place = stack.indexOf(layer);
    const taker = stack.findIndex((other) => {
      const pattern = pathOf(other);
      return pattern !== undefined && other.match(path) && !layer.match(pattern);
    });
    if (taker !== -1 && taker < place) stack.splice(taker, 0, ...stack.splice(place, 1));
  }
}

/** The methods of a path with those that they imply, in alphabetical order. */
function withImplied(methods: string[]): string[] {
  if (methods.length === 0) return [];
  if (methods.includes('GET')) methods.push('HEAD');
  return [...new Set([...methods, 'OPTIONS'])].toSorted();
}

/** A layer of the router; the types of Express leave `match` out. */
type Layer = Router['stack'][number] & { match(path: string): boolean };
type Route = NonNullable<Layer['route']>;

function allowedMethods(router: Router, path: string): string[] {
  const matching = routesOf(router, path);
  const literal = matching.filter((route) => route.path === path);
  return withImplied((literal.length > 0 ? literal : matching).flatMap(methodsOf));
}

function routesOf(router: Router, path?: string): Route[] {
  return (router.stack as Layer[])
    .filter((layer) => layer.route !== undefined && (path === undefined || layer.match(path)))
    .flatMap(({ route }) => route ?? []);
}

function pathOf({ route }: Layer): string | undefined {
  return route?.path;
}

function methodsOf({ stack }: Route): string[] {
  return stack.map(({ method }) => method.toUpperCase());
}
