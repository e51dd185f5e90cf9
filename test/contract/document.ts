/** The parts of an OpenAPI document that the tests look at. */
export interface Document {
  readonly servers?: readonly { readonly url: string }[];
  readonly security?: readonly Record<string, unknown>[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly headers: Record<string, Header>;
    readonly securitySchemes: Record<string, object>;
  };
}

export interface Operation {
  readonly description?: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Record<
    string,
    { readonly content?: Content; readonly headers?: Record<string, Header> }
  >;
}

/** A parameter of a request, or where it is described. */
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly schema?: { readonly pattern?: string; readonly example?: unknown };
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
