import type { ListPlantsQuery } from './dto/list-plants.query.js';
import type { PlantPage } from './plants.service.js';

/**
 * The `Link` header that leads from one page of a list to the next (RFC 8288).
 *
 * A reference that is relative to the address of the request, so that it holds behind any proxy.
 */
export function nextPage({ limit, tag, name }: ListPlantsQuery, { plants }: PlantPage): string {
  const parameters = new URLSearchParams({ limit: String(limit), after: String(plants.at(-1)?.id) });
  if (tag !== undefined) parameters.set('tag', tag);
  if (name !== undefined) parameters.set('name', name);
  return `<?${parameters.toString()}>; rel="next"`;
}
