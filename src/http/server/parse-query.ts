import { parse, type ParsedUrlQuery } from 'node:querystring';

/** A lone surrogate: no encoding of a text yields it, and no parameter may hold it. */
const UNDECODABLE = '\uD800';

/**
 * The parameters of a query, all of them, with `+` for a space; one that comes more than once has a list of values.
 *
 * What is no UTF-8 becomes a text that every parameter refuses, where Node would replace it by U+FFFD and go on.
 */
export function parseQuery(query: string | null): ParsedUrlQuery {
  return parse(query ?? '', '&', '=', { decodeURIComponent: decode, maxKeys: 0 });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return UNDECODABLE;
  }
}
