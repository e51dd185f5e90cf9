import type { Router } from 'express';

const HIDDEN = '…';

const INTEGER = /^-?\d{1,19}$/;

/**
 * What of the target of a request may be shown, for the routes of a router: of its path the segments that a route has
 * literally, and integers. Whatever else a client put there may be a secret.
 *
 * For when all routes are there.
 */
export function pathShower(router: Router): (target: string) => string {
  const routes = router.stack.flatMap(({ route }) => route?.path ?? []);
  const paths = new Set(routes.filter((path) => !path.includes(':')));
  const segments = new Set(routes.flatMap((path) => path.split('/')).filter((name) => !name.startsWith(':')));
  return (target) => {
    const path = pathOf(target);
    if (paths.has(path)) return path;
    return path
      .split('/')
      .map((segment) => (segments.has(segment) || INTEGER.test(segment) ? segment : HIDDEN))
      .join('/');
  };
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
