import { writeJson } from '../exact-json.ts';
import { readJson } from '../service/connection.ts';

/** What the page knows of the contract: parts of OpenAPI 3.1, with what a `$ref` refers to in its place. */
export interface Contract {
  readonly info: Described;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly (Described & { readonly name: string })[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
}

export interface Operation extends Readonly<Record<'method' | 'path' | 'operationId', string>>, Described {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Omit<Parameter, 'name'>>>;
  readonly content?: Content;
}

export interface Parameter extends Described, Exemplified {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

/** What a body may be, by its media type. */
type Content = Readonly<Record<string, Media>>;

interface Media extends Exemplified {
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Described {
  readonly description?: string;
}

interface Exemplified {
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Schema extends Described, Omit<Exemplified, 'schema'> {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly contentSchema?: Schema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly [limit: `${'min' | 'max'}${string}`]: unknown;
}

/** The contract of the service that served the page. */
export async function readContract(signal: AbortSignal): Promise<Contract> {
  type Whole = Contract & { components: { schemas: Record<string, { title?: string }> } };
  const contract = await readJson<Whole>(await fetch('../openapi.json', { signal }));
  for (const [name, schema] of Object.entries(contract.components.schemas)) schema.title ??= name;
  link(contract, contract);
  return contract;
}

/** Puts what each `$ref` refers to in its place, once: a schema may contain itself. */
function link(part: object, contract: object): void {
  for (const [name, value] of Object.entries(part)) {
    if (typeof value !== 'object' || value === null) continue;
    if ('$ref' in value) Object.assign(part, { [name]: find(contract, String(value.$ref)) });
    else link(value as object, contract);
  }
}

function find(contract: object, reference: string): unknown {
  const names = reference.slice('#/'.length).split('/');
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], contract);
}

/** The operations in the order of their groups. */
export function operationsOf({ tags, paths }: Contract): Operation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, rest]) =>
      Object.assign(rest, { method: method.toUpperCase(), path }),
    ),
  );
  return tags.flatMap((tag) => operations.filter((operation) => operation.tags?.includes(tag.name)));
}

/** The lines of the description of a response, each with the error value that it explains. */
export function linesOf(description: string): { value?: string | undefined; text: string }[] {
  return description.split('\n\n').map((line) => {
    const [, value, text = line] = /^(\d{5}): (.*)$/s.exec(line) ?? [];
    return { value, text };
  });
}

/** The type of a value, in words. */
export function typeOf({ title, type, format, items, oneOf, allOf }: Schema): string {
  if (title !== undefined) return title;
  const of = oneOf ?? allOf;
  if (of !== undefined) return of.map(typeOf).join(' or ');
  const name = items === undefined ? [type ?? 'any'].flat().join(' or ') : `array of ${typeOf(items)}`;
  return format === undefined ? name : `${name}, ${format}`;
}

/** The fields that an object has, or each object of an array. */
export function fieldsOf({ properties, required = [], items, contentSchema, allOf }: Schema): Parameter[] {
  const inner = items ?? contentSchema;
  return [
    ...Object.entries(properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'body',
      required: required.includes(name),
      schema,
    })),
    ...(inner ? fieldsOf(inner) : []),
    ...(allOf ?? []).flatMap(fieldsOf),
  ];
}

/** What an object may be, if it may be one of several. */
export function alternativesOf({ oneOf, items }: Schema): readonly Schema[] {
  return oneOf ?? (items ? alternativesOf(items) : []);
}

/** The text of an example of a body. */
export function exampleOf({ schema = {}, example, examples = {} }: Media): string {
  const value = example ?? Object.values(examples)[0]?.value ?? sampleOf(schema);
  return typeof value === 'string' ? value : writeJson(value, 2);
}

function sampleOf({ type, properties, items, ...schema }: Schema): unknown {
  const given = schema.example ?? schema.default ?? schema.enum?.[0];
  if (given !== undefined) return given;
  const of = schema.allOf?.[0] ?? schema.oneOf?.[0];
  if (of) return sampleOf(of);
  if (items) return [sampleOf(items)];
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sampleOf(field)]));
  return { integer: 0, number: 0, boolean: true }[String(type)] ?? '';
}
