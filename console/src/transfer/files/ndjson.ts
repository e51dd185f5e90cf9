import type { Format, Refused } from './format.ts';

/** Lines that are sent exactly as they are in the file. */
export const ndjson: Format = {
  name: 'NDJSON',
  toBatch: (records, bytes) => ({ body: bytes, records }),
  refusalsHead: '',
  toRefusal,
};

/** The line with its refusal in front, of which an import takes no notice; what is no object becomes a text of it. */
function toRefusal({ line, error, message, text }: Refused): string {
  const refusal = JSON.stringify({ line, error, message }).slice(0, -1);
  return isObject(text)
    ? `${refusal},${text.trim().slice(1)}\n`
    : `${refusal},"text":${JSON.stringify(text)}}\n`;
}

/** Whether a text is a JSON object that has members. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length > 0;
  } catch {
    return false;
  }
}
