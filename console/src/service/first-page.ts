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

/** The answer with its text, as soon as both are there; undefined if nothing was asked, or there is no answer. */
export const firstPage = askEarly().catch(() => undefined);

let answer: typeof firstPage | undefined = firstPage;

/** Asks for the first page if it will be shown: this is a script of its own, there before the others. */
async function askEarly(): Promise<Response | undefined> {
  const token = keptToken();
  if (token === null || !/\/console\/(#(\/plants)?)?$/.test(location.href)) return undefined;
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(FIRST_PAGE, { headers, cache: 'no-store', credentials: 'omit' });
  const text = await response.text();
  // Whoever reads it does not wait, so that the rows are in what is drawn first.
  return Object.assign(response, { text: async () => text });
}

/** The answer to the first request to this address, if that is under way already. */
export async function takeEarly(address: string): Promise<Response | undefined> {
  if (address !== FIRST_PAGE) return undefined;
  const taken = answer;
  answer = undefined;
  return taken;
}
