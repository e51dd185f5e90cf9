declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it is. */
    rawJSON(text: string): object;
  }
}

/** Writes JSON, a `bigint` as an integer. */
export function writeJson(value: unknown, indent = 0): string {
  return JSON.stringify(
    value,
    (_name, member: unknown) => (typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member),
    indent,
  );
}

/** Parses JSON. Ids, and integers that a `number` would round, become a `bigint`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (name, value: unknown, { source = '' }: { source?: string } = {}) =>
    (name === 'id' ? /^-?\d+$/ : /^-?\d{16,}$/).test(source) ? BigInt(source) : value,
  ) as unknown;
}
