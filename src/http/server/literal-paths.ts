import type { Express, NextFunction, Request, Response } from 'express';

/**
 * Keeps paths that a route has literally from routes with parameters: `DELETE /plants/import` asks for a method that this
 * path does not have, not for a plant that is called `import`.
 *
 * For when all routes are there. It costs only routes with parameters something.
 */
export function keepLiteralPaths(instance: Express): void {
  const paths = instance.router.stack.flatMap(({ route }) => route?.path ?? []);
  const literal = new Set(paths.filter((path) => !path.includes(':')));
  const names = new Set(paths.flatMap((path) => path.match(/(?<=:)\w+/g) ?? []));
  for (const name of names) {
    instance.param(name, (request: Request, _response: Response, next: NextFunction) => {
      if (!literal.has(request.path)) return next();
      // Otherwise it would still be taken for the route of a request that no other takes.
      request.route = undefined;
      next('route');
    });
  }
}
