import { Observable } from '../ui/observable.ts';
import { token } from './session.ts';
import { readCurrentToken } from './tokens.ts';

/** What the token in use is and may do; undefined until the service has told. */
export const access = new Observable<Awaited<ReturnType<typeof readCurrentToken>> | undefined>(undefined);

/** Whether the user may do what needs a scope. Until that is known he may: the service has the last word anyway. */
export function may(scope: string): boolean {
  return access.value?.scopes.includes(scope) ?? true;
}

/** Asks what each token may do as soon as it is used. */
export function watchAccess(): void {
  let asking = new AbortController();
  const ask = () => {
    asking.abort();
    asking = new AbortController();
    access.value = undefined;
    if (token.value === undefined) return;
    readCurrentToken(asking.signal).then(
      (current) => (access.value = current),
      () => undefined,
    );
  };
  token.watch(ask);
  ask();
}
