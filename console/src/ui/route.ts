import { Signal } from '@preact/signals';

/** Where in the console the user is, as the fragment of the address has it: links, reloads and the back button work. */
export interface Route {
  readonly view: string;
  readonly query: Readonly<Record<string, string>>;
  /** What the history keeps beside the address. */
  readonly state: Readonly<Record<string, unknown>>;
}

export const route = new Signal(currentRoute());

addEventListener('popstate', () => (route.value = currentRoute()));

/** The address of a view. */
export function addressOf(view: string, query: Route['query'] = {}): string {
  const parameters = new URLSearchParams(query).toString();
  return `#/${view}${parameters && `?${parameters}`}`;
}

/** Goes to a view, in place of the present entry of the history or after it. */
export function go(
  view: string,
  query: Route['query'] = {},
  { state = {}, isReplacement = false }: { state?: Route['state']; isReplacement?: boolean } = {},
): void {
  history[isReplacement ? 'replaceState' : 'pushState'](state, '', addressOf(view, query));
  route.value = currentRoute();
}

function currentRoute(): Route {
  const [, view = '', parameters = ''] = /^#\/([^?]*)\??(.*)$/.exec(location.hash) ?? [];
  return {
    view,
    query: Object.fromEntries(new URLSearchParams(parameters)),
    state: (history.state ?? {}) as Route['state'],
  };
}
