import { readFileSync } from 'node:fs';

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
    readonly securitySchemes: Record<string, { readonly type: string; readonly scheme: string }>;
  };
}

export interface Operation {
  readonly security?: readonly Record<string, unknown>[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Record<
    string,
    { readonly content?: Content; readonly headers?: Record<string, Header> }
  >;
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
  readonly type?: string;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Record<string, Schema>;
}

type Content = Record<string, { readonly schema: Schema }>;

/** The contract as it was agreed on, which never changes. */
export const agreedContract = JSON.parse(
  readFileSync(new URL('openapi.json', import.meta.url), 'utf8'),
) as Document;

/** What an operation promises, without words and without the ways in which two documents can say the same. */
export function promiseOf(document: Document, path: string, method: string) {
  const operation = document.paths[path]?.[method];
  if (operation === undefined) throw new Error(`The document has no ${method} ${path}.`);
  const { requestBody, responses } = operation;
  return {
    security: (operation.security ?? document.security ?? []).map((requirement) =>
      Object.keys(requirement).map((name) => {
        const { type, scheme } = document.components.securitySchemes[name] ?? {};
        return { type, scheme };
      }),
    ),
    bodyRequired: requestBody?.required,
    body: fieldsOf(document, requestBody?.content),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content }]) => [status, fieldsOf(document, content)]),
    ),
  };
}

/** The fields of an object for each media type: name, type, format, required or not. */
function fieldsOf(document: Document, content: Content = {}) {
  return Object.fromEntries(
    Object.entries(content).map(([mediaType, { schema }]) => {
      const { properties, required } = flatten(document, schema);
      const fields = Object.entries(properties).map(([name, { type, format }]) => [
        name,
        { type, format, required: required.includes(name) },
      ]);
      return [mediaType, Object.fromEntries(fields)];
    }),
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
