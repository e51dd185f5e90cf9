import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.js';

describe('the reference page', () => {
  test('may load its parts, all of which this service has', async () => {
    const service = await startService();

    const page = await service.request('/docs');
    const parts = [...page.text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
      ([, path = '']) => new URL(path, `${service.url}/docs`),
    );
    const answers = await Promise.all(parts.map(async ({ pathname }) => service.request(pathname)));

    expect(page.headers.get('content-security-policy')).toMatch(
      /script-src 'self'; style-src 'self' 'unsafe-inline'; .*connect-src 'self'/,
    );
    expect(page.text).not.toMatch(/<script>/);
    expect(parts.length).toBeGreaterThan(3);
    expect(new Set(parts.map(({ origin }) => origin))).toEqual(new Set([service.url]));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('has one address', async () => {
    const service = await startService();

    const answer = await service.request('/docs/', { redirect: 'manual' });

    expect(answer.status).toBe(308);
    expect(new URL(answer.headers.get('location') ?? '', `${service.url}/docs/`).pathname).toBe('/docs');
  });

  test('leads to the console if there is one', async () => {
    const [on, off] = [await startService(), await startService({ CONSOLE: 'off' })];

    expect((await on.request('/docs')).text).toContain('href="./console"');
    expect((await off.request('/docs')).text).not.toContain('href="./console"');
  });

  test('asks the service that served it, whatever its public address is', async () => {
    const { ui } = await look();

    expect(shown(ui).servers).toEqual([{ url: './' }]);
  });

  test('lists the create first', async () => {
    const { ui } = await look();

    const [{ operations } = { operations: [] }] = Object.values(ui.specSelectors.taggedOperations().toJS());

    expect(operations[0]).toMatchObject({ method: 'post', path: '/plants' });
  });

  test('shows answers as they were sent', async () => {
    const { ui } = await look();
    const list = '[{"id":9007199254740993,"name":"1.50"},{"id":-9223372036854775808,"name":"Aloe"}]';

    const text = shownBody(ui, 'application/json', list);

    expect(text).toContain('  {\n    "id": 9007199254740993,\n    "name": "1.50"\n  },');
    expect(text.replaceAll(/\s/g, '')).toContain(list);
    for (const lines of ['{"line":1,"status":200}\n', '{"id":9007199254740993,"name":"Aloe"}\n{"id":2}\n'])
      expect(shownBody(ui, 'application/x-ndjson', lines)).toBe(`Response body${lines}`);
  });

  test('fills in no optional parameter but with its default', async () => {
    const { ui } = await look();
    const { paths, components } = shown(ui);

    const parameters = [
      ...Object.values(components.parameters),
      ...Object.values(paths).flatMap((path) =>
        Object.values(path).flatMap((operation) => operation.parameters ?? []),
      ),
    ].filter(({ in: place }) => place === 'query' || place === 'header');

    expect(parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['tag', 'name', 'after', 'If-Match']),
    );
    for (const { name, ...parameter } of parameters)
      expect(JSON.stringify(parameter), name).not.toContain('"example');
  });

  test('keeps the access token, also after a reload, for its tab only', async () => {
    const before = await look();
    before.ui.authActions.authorizeWithPersistOption({ bearer: BEARER });

    const after = await open(await startService(), before.tab);

    expect(after.ui.authSelectors.authorized().toJS()).toEqual({ bearer: BEARER });
    expect([...before.everyTab.values()].join('')).toBe('');
  });
});

const BEARER = { name: 'bearer', schema: { type: 'http', scheme: 'bearer' }, value: 'a-token' };

/** What the tests use of Swagger UI. */
interface SwaggerUi {
  getComponent(name: string): (props: object) => Component;
  readonly authActions: { authorizeWithPersistOption(given: object): void };
  readonly authSelectors: { authorized(): { toJS(): unknown } };
  readonly specSelectors: {
    specJson(): { toJS(): ShownContract };
    taggedOperations(): { toJS(): Record<string, { readonly operations: readonly object[] }> };
  };
}

interface Component {
  readonly type: new (props: object) => { render(): unknown };
  readonly props: { readonly children?: unknown };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface ShownContract {
  readonly servers: unknown;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
}

let looked: ReturnType<typeof open> | undefined;

/** The page, opened once: that takes most of a second. */
function look(): ReturnType<typeof open> {
  return (looked ??= startService({ BASE_URL: 'https://plants.example.org' }).then((service) =>
    open(service),
  ));
}

/** Runs the scripts of the page as a browser does, without drawing anything. */
async function open(service: Service, tab = new Map<string, string>()) {
  const everyTab = new Map<string, string>();
  const address = `${service.url}/docs`;
  const window = createContext({
    location: new URL(address),
    navigator: { userAgent: '' },
    document: { baseURI: address, addEventListener: () => undefined },
    addEventListener: () => undefined,
    sessionStorage: storage(tab),
    localStorage: storage(everyTab),
    fetch: async (path: string) => fetch(new URL(path, address)),
    console,
    setTimeout,
    clearTimeout,
    URL,
    URLSearchParams,
    Blob,
    File,
    FormData,
    Headers,
    AbortController,
  });
  Object.assign(window, { window, self: window });
  const { text: html } = await service.request('/docs');
  const [swaggerUi = '', script = ''] = await Promise.all(
    [...html.matchAll(/<script src="([^"]+)"/g)].map(
      async ([, path = '']) => (await service.request(new URL(path, address).pathname)).text,
    ),
  );
  runInContext(swaggerUi, window);
  const { SwaggerUIBundle } = window;
  const ui = await new Promise<SwaggerUi>((resolve) => {
    window['SwaggerUIBundle'] = (options: object) => resolve(SwaggerUIBundle({ ...options, dom_id: null }));
    runInContext(script, window);
  });
  return { ui, tab, everyTab };
}

function storage(values: Map<string, string>) {
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
  };
}

function shown({ specSelectors }: SwaggerUi): ShownContract {
  return specSelectors.specJson().toJS();
}

/** The text that stands on the page for the body of an answer. */
function shownBody(ui: SwaggerUi, contentType: string, content: string): string {
  const getComponent = (name: string) => ui.getComponent(name);
  const { type: ResponseBody, props } = getComponent('responseBody')({ contentType, content, getComponent });
  return textOf(new ResponseBody(props).render());
}

function textOf(element: unknown): string {
  if (typeof element === 'string') return element;
  if (Array.isArray(element)) return element.map(textOf).join('');
  return textOf((element as Component | null)?.props.children ?? []);
}
