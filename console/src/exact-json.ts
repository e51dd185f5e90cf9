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

/** What a JSON text says; ids, and integers that a `number` would round, are a `bigint`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (name, value: unknown, { source = '' }: { source?: string } = {}) =>
    (name === 'id' ? /^-?\d+$/ : /^-?\d{16,}$/).test(source) ? BigInt(source) : value,
  ) as unknown;
}
