import type { ListPlantsQuery } from './dto/list-plants.query.js';

/**
 * The `Link` header that leads from one page of a list to the next (RFC 8288).
 *
 * A reference that is relative to the address of the request, so that it holds behind any proxy.
 */
export function nextPage({ limit, tag, name }: ListPlantsQuery, after: bigint): string {
  const parameters = new URLSearchParams({ limit: String(limit), after: String(after) });
  if (tag !== undefined) parameters.set('tag', tag);
  if (name !== undefined) parameters.set('name', name);
  return `<?${parameters.toString()}>; rel="next"`;
}
