import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/** The parts of an OpenAPI document that the tests look at. */
export interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly license: { readonly name: string } };
  readonly servers?: readonly { readonly url: string }[];
  readonly security?: readonly Record<string, unknown>[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers: Record<string, Header>;
    readonly parameters: Record<string, Parameter>;
    readonly securitySchemes: Record<string, { readonly type: string; readonly scheme: string }>;
  };
}

export interface Operation {
  readonly description?: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Record<
    string,
    { readonly content?: Content; readonly headers?: Record<string, Header> }
  >;
}

/** A parameter of a request, or where it is described. */
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: { readonly pattern?: string };
}

/** A header of an answer, or where it is described. */
export interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
}

export interface Schema {
  readonly $ref?: string;
  /** Of a text: what its lines are. */
  readonly contentSchema?: Schema;
  readonly allOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Record<string, Schema>;
}

type Content = Record<string, { readonly schema: Schema; readonly examples?: Record<string, Example> }>;

interface Example {
  readonly value: unknown;
}

/** The contract as it was agreed on: the service may come to offer more, and never less. */
export const agreedContract = JSON.parse(
  readFileSync(new URL('openapi.json', import.meta.url), 'utf8'),
) as Document;

/** The operations of a document, such as `GET /plants`, and those of them that need no credentials. */
export function operationsOf(document: Document): { readonly all: string[]; readonly open: string[] } {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      isOpen: !securityOf(document, operation).some((needed) => needed.length > 0),
    })),
  );
  return {
    all: operations.map(({ name }) => name),
    open: operations.filter(({ isOpen }) => isOpen).map(({ name }) => name),
  };
}

/** What clients of one document could not do by another one, in words. Whatever else that one offers is fine. */
export function breaksOf(agreed: Document, served: Document): string[] {
  return Object.entries(agreed.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      const after = served.paths[path]?.[method];
      if (after === undefined) return [`${method} ${path} is gone`];
      const [promise, now] = [promiseOf(agreed, before), promiseOf(served, after)];
      const statuses = Object.keys(promise.responses);
      return [
        ...(isDeepStrictEqual(promise.security, now.security) ? [] : ['takes other credentials']),
        ...now.required.filter((name) => !promise.required.includes(name)).map((name) => `needs ${name}`),
        ...breaksOfBody(promise.body, now.body, true),
        ...statuses.flatMap((status) =>
          breaksOfBody(promise.responses[status] ?? {}, now.responses[status] ?? {}, false),
        ),
      ].map((what) => `${method} ${path} ${what}`);
    }),
  );
}

function breaksOfBody(before: Bodies, after: Bodies, isSent: boolean): string[] {
  return Object.entries(before).flatMap(([mediaType, members]) => {
    const now = after[mediaType];
    if (now === undefined) return [`${isSent ? 'takes' : 'answers'} no ${mediaType}`];
    const names = Object.keys({ ...members, ...now }).filter((name) => {
      const [old, other] = [members[name], now[name]];
      // Clients do not send what they do not know, and pass over it when they get it.
      if (old === undefined) return isSent && other?.isRequired;
      if (other === undefined || !isDeepStrictEqual(old.schema, other.schema)) return true;
      return isSent ? other.isRequired && !old.isRequired : old.isRequired && !other.isRequired;
    });
    return names.map((name) => `${isSent ? 'takes' : 'answers'} another ${name}`);
  });
}

/** What may be sent or answered: the members of an object for each media type. */
type Bodies = Record<string, Record<string, { readonly schema: object; readonly isRequired: boolean }>>;

/** What an operation promises, without words and without the ways in which two documents can say the same. */
function promiseOf(document: Document, operation: Operation) {
  const { parameters = [], requestBody, responses } = operation;
  return {
    security: securityOf(document, operation),
    required: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...(requestBody?.required === true ? ['a body'] : []),
    ],
    body: bodiesOf(document, requestBody?.content),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content }]) => [status, bodiesOf(document, content)]),
    ),
  };
}

/** The ways to show one's credentials, any of which will do. */
function securityOf(document: Document, operation: Operation) {
  return (operation.security ?? document.security ?? []).map((requirement) =>
    Object.keys(requirement).map((name) => {
      const { type, scheme } = document.components.securitySchemes[name] ?? {};
      return { type, scheme };
    }),
  );
}

function bodiesOf(document: Document, content: Content = {}): Bodies {
  return Object.fromEntries(
    Object.entries(content).map(([mediaType, { schema }]) => {
      const { properties, required } = flatten(document, schema);
      const members = Object.entries(properties).map(([name, member]) => [
        name,
        { schema: withoutWords(member), isRequired: required.includes(name) },
      ]);
      return [mediaType, Object.fromEntries(members)];
    }),
  );
}

function withoutWords(schema: Schema): object {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !/^(description|examples?)$/.test(keyword)),
  );
}

/** An object schema with its references followed and its parts put together. */
function flatten(
  document: Document,
  schema: Schema,
): { properties: Record<string, Schema>; required: string[] } {
  const referenced =
    schema.$ref === undefined ? {} : document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const parts = [...(schema.allOf ?? []), ...(schema.$ref === undefined ? [] : [referenced ?? {}])];
  const flattened = parts.map((part) => flatten(document, part));
  return {
    properties: Object.assign({}, ...flattened.map(({ properties }) => properties), schema.properties),
    required: [...flattened.flatMap(({ required }) => required), ...(schema.required ?? [])],
  };
}
