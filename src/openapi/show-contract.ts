/* oxlint-disable unicorn/consistent-function-scoping -- the browser gets `showContract` and nothing beside it */

/** Swagger UI (https://swagger.io/tools/swagger-ui), which the page has loaded before. */
declare const SwaggerUIBundle: (options: object) => void;

/** What Swagger UI hands to a plugin, and a component of it. */
interface System {
  readonly React: { createElement(component: unknown, props: object): object };
  readonly fn: {
    getSampleSchema: (
      ...given: [schema: unknown, mediaType: unknown, config: unknown, example?: unknown]
    ) => unknown;
  };
}
type ResponseBody = (props: { readonly content: unknown; readonly contentType?: string }) => object;

/** A parameter of an operation as the contract has it. */
interface Parameter {
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: object;
}

/** Shows the contract. The page runs the text of this function, which uses nothing from outside of it but what browsers have. */
export async function showContract(): Promise<void> {
  // Swagger UI would keep the access token for all tabs and for ever: so it lives with this tab.
  Object.defineProperty(globalThis, 'localStorage', { value: sessionStorage });

  const NO_EXAMPLES = { example: undefined, examples: undefined };
  const response = await fetch('./openapi.json');
  const contract = JSON.parse(await response.text(), forForms) as object;
  SwaggerUIBundle({
    // The service that served the page, under whatever name it was reached, and not its public address.
    spec: { ...contract, servers: [{ url: './' }] },
    dom_id: '#swagger-ui',
    deepLinking: true,
    persistAuthorization: true,
    plugins: [{ wrapComponents: { responseBody: exactly }, afterLoad: showTextsAsTheyAre }],
  });

  /** Leaves out what would fill in a form in a way that nobody wants. */
  function forForms(name: string, value: unknown): unknown {
    // Lines as a body get a text box; with a media type of their own they would get a file chooser.
    if (name === 'contentMediaType') return undefined;
    // Swagger UI sends the examples of parameters, so that a list would be filtered before anybody asks for it.
    return isOptionalParameter(value)
      ? { ...value, ...NO_EXAMPLES, schema: { ...value.schema, ...NO_EXAMPLES } }
      : value;
  }

  function isOptionalParameter(value: unknown): value is Parameter {
    const { in: place, required } = Object(value) as Partial<Parameter>;
    return (place === 'query' || place === 'header') && required !== true;
  }

  /** Shows a body as it was sent: Swagger UI would round large integers, and take lines of JSON for broken JSON. */
  function exactly(Original: ResponseBody, { React }: System): ResponseBody {
    return ({ content, contentType, ...props }) =>
      React.createElement(Original, {
        ...props,
        content: contentType === 'application/json' ? indent(String(content)) : content,
        contentType: 'text',
      });
  }

  /** Lets an example of lines be those lines: Swagger UI would make a JSON string of it, and send that. */
  function showTextsAsTheyAre({ fn }: System): void {
    const { getSampleSchema } = fn;
    fn.getSampleSchema = (...given) => {
      const [, , , example] = given;
      return typeof example === 'string' ? example : getSampleSchema(...given);
    };
  }

  function indent(json: string): string {
    const keep = (_name: string, value: unknown, { source = '' }: { source?: string } = {}) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value;
    try {
      return JSON.stringify(JSON.parse(json, keep), undefined, 2);
    } catch {
      // A browser that does not tell how a number was written.
      return json;
    }
  }
}
