import { Signal } from '@preact/signals';

/** What the address names, such as `listPlants` or `listPlants/limit`. */
export const place = new Signal(location.hash.slice(1));

addEventListener('hashchange', () => (place.value = location.hash.slice(1)));

/** A link to a place. The base of the page is not what it is relative to. */
export function hrefOf(name: string): string {
  return `${location.pathname}#${name}`;
}

/** The place of a part of the operation that is shown; also the id of its element. */
export function partOf(part: string): string {
  return `${place.value.split('/')[0]}/${part}`;
}
