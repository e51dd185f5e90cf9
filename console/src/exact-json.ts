declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it is. */
    rawJSON(text: string): object;
  }
}

/** JSON with every `bigint` as an integer. */
export function writeJson(value: unknown, indent = 0): string {
  return JSON.stringify(
    value,
    (_name, member: unknown) => (typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member),
    indent,
  );
}

/**
 * Puts integers that a `number` would round into quotes.
 *
 * The generated client reads an answer with `JSON.parse` and makes a `bigint` of what the contract says is an int64; of a
 * string it makes the exact one.
 */
export function quoteLargeIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  const exact: unknown = JSON.parse(json, (_name, value: unknown, { source }: { source?: string } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value,
  );
  return JSON.stringify(exact);
}
