/* oxlint-disable unicorn/consistent-function-scoping -- the browser gets `showContract` and nothing beside it */

/** Swagger UI (https://swagger.io/tools/swagger-ui), which the page has loaded before. */
declare const SwaggerUIBundle: (options: object) => void;

/** What Swagger UI hands to a plugin, and a component of it. */
interface System {
  readonly React: { createElement(component: unknown, props: object): object };
}
type ResponseBody = (props: { readonly content: unknown; readonly contentType?: string }) => object;

/** Shows the contract. The page runs the text of this function, which uses nothing outside it but what browsers have. */
export async function showContract(): Promise<void> {
  // Swagger UI would keep the access token for all tabs and for ever: so it lives with this tab.
  Object.defineProperty(globalThis, 'localStorage', { value: sessionStorage });

  const response = await fetch('./openapi.json');
  const contract = JSON.parse(await response.text(), withoutExamples) as object;
  SwaggerUIBundle({
    // The service that served the page, under whatever name it was reached, and not its public address.
    spec: { ...contract, servers: [{ url: './' }] },
    dom_id: '#swagger-ui',
    deepLinking: true,
    persistAuthorization: true,
    plugins: [{ wrapComponents: { responseBody: exactly } }],
  });

  /** Swagger UI sends the examples of parameters: a list would be filtered before anybody asks for it. */
  function withoutExamples(_name: string, value: unknown): unknown {
    const { in: place, schema } = Object(value) as { readonly in?: string; readonly schema?: object };
    if (place !== 'query' && place !== 'header') return value;
    const none = { example: undefined, examples: undefined };
    return { ...Object(value), ...none, schema: { ...schema, ...none } };
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

  function indent(json: string): string {
    const keep = (_name: string, value: unknown, { source = '' }: { source?: string } = {}) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value;
    return JSON.stringify(JSON.parse(json, keep), undefined, 2);
  }
}
