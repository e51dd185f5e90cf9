/** The parts of an OpenAPI document that the tests look at. */
export interface Document {
  readonly servers?: readonly { readonly url: string }[];
  readonly security?: readonly Record<string, unknown>[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers: Record<string, Header>;
    readonly responses: Record<string, DocumentedResponse>;
    readonly securitySchemes: Record<string, object>;
  };
}

export interface Operation {
  readonly description?: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, DocumentedResponse>;
}

interface DocumentedResponse {
  readonly $ref?: string;
  readonly content?: Content;
  readonly headers?: Record<string, Header>;
}

/** A parameter of a request, or where it is described. */
export interface Parameter {
  readonly $ref?: string;
  readonly in: 'header' | 'path' | 'query';
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

/** A schema of a request, with the keywords that the document uses there. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  /** Of the lines of a text. */
  readonly contentSchema?: { readonly items: Schema };
  readonly example?: unknown;
}

/** A header of a response, or where it is described. */
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
}

type Content = Record<
  string,
  { readonly schema: { readonly contentSchema?: object }; readonly examples?: Record<string, unknown> }
>;

/** Parses a document, with the responses that its operations share in each of them. */
export function parseDocument(text: string, reviver?: (name: string, value: unknown) => unknown): Document {
  const document = JSON.parse(text, reviver) as Document;
  for (const { responses } of Object.values(document.paths).flatMap((path) => Object.values(path)))
    for (const [status, { $ref }] of Object.entries(responses))
      if ($ref !== undefined)
        responses[status] = document.components.responses[$ref.split('/').at(-1) ?? ''] ?? {};
  return document;
}

/** The operations of a document, such as `GET /plants`, and those of them that need no token. */
export function operationsOf({ paths }: Document): { readonly all: string[]; readonly open: string[] } {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      isOpen: security?.length === 0,
    })),
  );
  return {
    all: operations.map(({ name }) => name),
    open: operations.filter(({ isOpen }) => isOpen).map(({ name }) => name),
  };
}
