import { computed, Signal } from '@preact/signals';

/** The view and its parameters, from the fragment of the address. */
interface Route {
  readonly view: string;
  readonly query: Readonly<Record<string, string>>;
  /** The state of the history entry. */
  readonly state: Readonly<Record<string, unknown>>;
}

export const route = new Signal(currentRoute());

addEventListener('popstate', () => (route.value = currentRoute()));

/** The address of a view. */
export function addressOf(view: string, query: Route['query'] = {}): string {
  const parameters = new URLSearchParams(query).toString();
  return `#/${view}${parameters && `?${parameters}`}`;
}

/** Opens a view, in a new history entry or in place of the current one. */
export function go(
  view: string,
  query: Route['query'] = {},
  { state = {}, isReplacement = false }: { state?: Route['state']; isReplacement?: boolean } = {},
): void {
  history[isReplacement ? 'replaceState' : 'pushState'](state, '', addressOf(view, query));
  route.value = currentRoute();
}

/** Opens a form, which is a place of its own: the way back closes it. */
export function openForm(query: Route['query']): void {
  const { view, state } = route.peek();
  go(view, query, { state: { ...state, isForm: true } });
}

/** Closes a form. @param query what remains of the view, if the address led to the form. */
export function closeForm(query: Route['query'] = {}): void {
  const { view, state } = route.peek();
  if (state['isForm']) history.back();
  else go(view, query, { state, isReplacement: true });
}

/** Whether the form for a new item of the view is open. */
export const isAdding = computed(() => route.value.query['new'] !== undefined);

export const beginAdding = () => openForm({ new: 'yes' });

function currentRoute(): Route {
  const [, view = '', parameters = ''] = /^#\/([^?]*)\??(.*)$/.exec(location.hash) ?? [];
  return {
    view,
    query: Object.fromEntries(new URLSearchParams(parameters)),
    state: (history.state ?? {}) as Route['state'],
  };
}
