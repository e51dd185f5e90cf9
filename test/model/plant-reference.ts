/** The fields of a plant that can change. */
export interface PlantContent {
  readonly name: string;
  readonly tag?: string;
}

export interface NewPlant {
  readonly id: bigint;
  readonly content: PlantContent;
}

/** What a merge patch changes: absent fields stay as they are. */
export interface PlantPatch {
  readonly name?: string;
  readonly tag?: string | null;
}

/** The error value of a body that is refused. */
export type Refusal = 40000 | 40001;

/** Levels that a body may nest. */
const MAX_DEPTH = 64;

/** The plant in the body of a create, by the contract, read in another way than the service does. */
export function readNewPlant(bytes: Buffer): NewPlant | Refusal {
  const fields = fieldsOf(bytes);
  if (fields === undefined) return 40000;
  const id = int64(fields.get('id'));
  const content = contentOf(fields);
  return id === undefined || content === undefined ? 40001 : { id, content };
}

/** The same for the body of a replacement, which has no id. */
export function readContent(bytes: Buffer): PlantContent | Refusal {
  const fields = fieldsOf(bytes);
  return fields === undefined ? 40000 : (contentOf(fields) ?? 40001);
}

/** The same for a merge patch. */
export function readPatch(bytes: Buffer): PlantPatch | Refusal {
  const fields = fieldsOf(bytes);
  if (fields === undefined) return 40000;
  const name = fields.has('name') ? text(fields.get('name')) : undefined;
  const tag = fields.get('tag') === 'null' ? null : text(fields.get('tag'));
  const isValid = fields.has('name') === (name !== undefined) && fields.has('tag') === (tag !== undefined);
  if (!isValid) return 40001;
  return { ...(name !== undefined && { name }), ...(tag !== undefined && { tag }) };
}

function contentOf(fields: ReadonlyMap<string, string>): PlantContent | undefined {
  const [name, tag] = [text(fields.get('name')), text(fields.get('tag'))];
  if (name === undefined || fields.has('tag') !== (tag !== undefined)) return undefined;
  return tag === undefined ? { name } : { name, tag };
}

/** A string that can be stored; undefined for any other value. */
function text(source = ''): string | undefined {
  if (!source.startsWith('"')) return undefined;
  const value = JSON.parse(source) as string;
  const isStorable =
    !/\p{Surrogate}/u.test(value) && !value.includes('\0') && Array.from(value).length <= 16_384;
  return isStorable ? value : undefined;
}

function int64(source = ''): bigint | undefined {
  const integer = /^[-\d]/.test(source) ? exactInteger(source) : undefined;
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

/** The value of a number literal, by decimal arithmetic; undefined when it is no integer, or far from 64 bits. */
function exactInteger(source: string): bigint | undefined {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const scale = Number(exponent) - fraction.length;
  if (digits === 0n) return 0n;
  if (scale >= 0) return scale > 19 ? undefined : digits * 10n ** BigInt(scale);
  if (-scale > source.length) return undefined;
  const divisor = 10n ** BigInt(-scale);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g;

/** The fields of a JSON object with the source of each value; the last field of a name counts. Undefined for any other text. */
function fieldsOf(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const json = bytes.toString();
  if (!Buffer.from(json).equals(bytes) || !isJson(json)) return undefined;
  const tokens = json.match(TOKENS) ?? [];
  if (tokens[0] !== '{') return undefined;
  const fields = new Map<string, string>();
  const deepest = new Map<string, number>();
  let name = '';
  let depth = 0;
  for (const [place, token] of tokens.entries()) {
    if (token === '}' || token === ']') depth -= 1;
    if (token === '{' || token === '[') {
      depth += 1;
      deepest.set(name, Math.max(depth, deepest.get(name) ?? 0));
    }
    if (depth === 1 && token === ':') {
      name = JSON.parse(tokens[place - 1] ?? '') as string;
      fields.set(name, tokens[place + 1] ?? '');
      deepest.delete(name);
    }
  }
  return [...deepest.values()].every((levels) => levels <= MAX_DEPTH) ? fields : undefined;
}

function isJson(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
