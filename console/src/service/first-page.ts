/** Where the token is kept: for the tab, or for all tabs and the reference if the user asks for that. */
export const TOKEN_KEY = 'plant-store-token';

/** The token of this tab, or of the browser. */
export function keptToken(): string | null {
  return sessionStorage.getItem(TOKEN_KEY) ?? localStorage.getItem(TOKEN_KEY);
}

/** Where it is kept how many plants a page has, for all tabs. */
export const PAGE_SIZE_KEY = 'plant-store-page-size';

export const PAGE_SIZES: readonly number[] = [25, 50, 100, 200];

export function keptPageSize(): number {
  const kept = Number(localStorage.getItem(PAGE_SIZE_KEY));
  return PAGE_SIZES.includes(kept) ? kept : 50;
}

/** The first page of all plants, with which most visits begin. */
const FIRST_PAGE = `../plants?sort=id&limit=${keptPageSize()}`;

let answer = askEarly();

/** Asks for the first page if it will be shown: this is a script of its own, there before the others. */
function askEarly(): Promise<Response> | undefined {
  const token = keptToken();
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
