/** Where the token is kept if the user asks for it: for all tabs, and the reference, until he signs out. */
export const TOKEN_KEY = 'plant-store-token';

/** The first page of all plants, with which most visits begin. */
const FIRST_PAGE = '../plants?sort=id&limit=50';

let answer = askEarly();

/** Asks for the first page if it will be shown: this is a script of its own, there before the others. */
function askEarly(): Promise<Response> | undefined {
  const token = localStorage.getItem(TOKEN_KEY);
  if (token === null || !/\/console\/(#(\/plants)?)?$/.test(location.href)) return undefined;
  const headers = { Authorization: `Bearer ${token}` };
  const asked = fetch(FIRST_PAGE, { headers, cache: 'no-store', credentials: 'omit' });
  // Whoever takes it is told.
  asked.catch(() => undefined);
  return asked;
}

/** The answer to the first request to this address, if that is under way already. */
export function takeEarly(address: string): Promise<Response> | undefined {
  if (address !== FIRST_PAGE) return undefined;
  const taken = answer;
  answer = undefined;
  return taken;
}
