/** The members of a plant that can change. */
export interface PlantContent {
  readonly name: string;
  readonly tag: string | null;
}

export interface NewPlant {
  readonly id: bigint;
  readonly content: PlantContent;
}

/** What a merge patch changes: absent members stay as they are. */
export interface PatchedMembers {
  readonly name?: string;
  readonly tag?: string | null;
}

/** The error value of a body that is refused. */
export type Refusal = 40000 | 40001;

/** Levels that a body may nest. */
const MAX_DEPTH = 64;

/** The plant that the contract sees in the bytes of a create, worked out in another way than the service does. */
export function readNewPlant(bytes: Buffer): NewPlant | Refusal {
  const members = membersOf(bytes);
  if (members === undefined) return 40000;
  const id = int64(members.get('id'));
  const content = contentOf(members);
  return id === undefined || content === undefined ? 40001 : { id, content };
}

/** The same of a replacement, whose id is elsewhere. */
export function readContent(bytes: Buffer): PlantContent | Refusal {
  const members = membersOf(bytes);
  return members === undefined ? 40000 : (contentOf(members) ?? 40001);
}

/** The same of a merge patch. */
export function readPatch(bytes: Buffer): PatchedMembers | Refusal {
  const members = membersOf(bytes);
  if (members === undefined) return 40000;
  const tag = members.get('tag');
  const isRight =
    (!members.has('name') || isStorable(members.get('name'))) &&
    (!members.has('tag') || tag === null || isStorable(tag));
  if (!isRight) return 40001;
  const own = [...members].filter(([name]) => name === 'name' || name === 'tag');
  return Object.fromEntries(own);
}

function contentOf(members: ReadonlyMap<string, Value>): PlantContent | undefined {
  const name = members.get('name');
  const tag = members.has('tag') ? members.get('tag') : null;
  if (!isStorable(name)) return undefined;
  if (isStorable(tag)) return { name, tag };
  return members.has('tag') ? undefined : { name, tag: null };
}

function isStorable(value: Value | undefined): value is string {
  return (
    typeof value === 'string' &&
    !/\p{Surrogate}/u.test(value) &&
    !value.includes('\0') &&
    Array.from(value).length <= 16_384
  );
}

function int64(value: Value | undefined): bigint | undefined {
  const integer = value instanceof Numeral ? exactInteger(value.source) : undefined;
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

/** The value of a number as it is written, by decimal arithmetic; undefined when it is no integer, or far from 64 bits. */
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

function membersOf(bytes: Buffer): ReadonlyMap<string, Value> | undefined {
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) return undefined;
  try {
    const reader = new JsonReader(text);
    const value = reader.read();
    return value instanceof Map && reader.depth <= MAX_DEPTH ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A number as it is written. */
class Numeral {
  constructor(readonly source: string) {}
}

type Value = string | boolean | null | Numeral | Value[] | Map<string, Value>;

const SPACE = /[ \t\r\n]*/y;
const TOKEN =
  /[[\]{}:,]|true|false|null|"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const ESCAPES = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Reads JSON by the grammar of RFC 8259; the last of the members of a name counts. */
class JsonReader {
  /** The levels of objects and arrays, also in members that do not count. */
  depth = 0;
  private position = 0;

  constructor(private readonly text: string) {}

  /** @throws SyntaxError */
  read(): Value {
    const value = this.value(this.next(), 0);
    this.take(SPACE);
    if (this.position !== this.text.length) throw new SyntaxError('There is more behind the value.');
    return value;
  }

  private value(token: string, level: number): Value {
    // Deeper than any body may be, and than this reader could go.
    if (level > 1_000) throw new SyntaxError('The text nests too deep.');
    if (token === '{' || token === '[') this.depth = Math.max(this.depth, level + 1);
    if (token === '{') return this.object(level + 1);
    if (token === '[') return this.array(level + 1);
    if (token.startsWith('"')) return unescape(token);
    if (/^[-\d]/.test(token)) return new Numeral(token);
    const literal = LITERALS.get(token);
    if (literal === undefined) throw new SyntaxError(`There is ${token} instead of a value.`);
    return literal;
  }

  private object(level: number): Map<string, Value> {
    const members = new Map<string, Value>();
    let token = this.next();
    if (token === '}') return members;
    for (; ; token = this.next()) {
      if (!token.startsWith('"')) throw new SyntaxError(`There is ${token} instead of a name.`);
      this.expect(':');
      members.set(unescape(token), this.value(this.next(), level));
      if (this.expect(',', '}') === '}') return members;
    }
  }

  private array(level: number): Value[] {
    const elements: Value[] = [];
    let token = this.next();
    if (token === ']') return elements;
    for (; ; token = this.next()) {
      elements.push(this.value(token, level));
      if (this.expect(',', ']') === ']') return elements;
    }
  }

  private expect(...tokens: string[]): string {
    const token = this.next();
    if (!tokens.includes(token))
      throw new SyntaxError(`There is ${token} instead of ${tokens.join(' or ')}.`);
    return token;
  }

  private next(): string {
    this.take(SPACE);
    return this.take(TOKEN);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const [token] = pattern.exec(this.text) ?? [];
    if (token === undefined) throw new SyntaxError(`There is no token at ${this.position}.`);
    this.position += token.length;
    return token;
  }
}

function unescape(token: string): string {
  const text = token.slice(1, -1);
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u(.{4})|(.))/g, (_, unit: string | undefined, escaped: string) =>
    unit === undefined ? (ESCAPES.get(escaped) ?? escaped) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
