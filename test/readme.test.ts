import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { curlRequest } from './support/curl.js';
import { startService } from './support/service.js';

/** The commands of the README in their order, and the answers that it shows. */
function examples(): { command: string; form: string; answer: string }[] {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split('## Operations\n');
  const [operations = ''] = section.split('\n## ');
  return [...operations.matchAll(/^```sh\n(curl [^]*?)^```\n(?:\n```(json|text)\n([^]*?)^```\n)?/gm)].map(
    ([, command = '', form = 'text', answer = '']) => ({ command, form, answer }),
  );
}

test('every command of the README is answered as it says, and there is one for each operation', async () => {
  const service = await startService({ BOOTSTRAP_TOKEN: 'my-secret-token' });
  const used = new Set<string>();

  for (const { command, form, answer } of examples()) {
    const { url, init } = curlRequest(command, { TOKEN: 'my-secret-token' });
    const { pathname, search } = new URL(url);
    used.add(`${init.method} ${pathname.replace(/\d+$/, '{id}')}`);

    const { status, text } = await service.request(pathname + search, init);

    expect(status, command).toBeLessThan(300);
    const read = (given: string): unknown => (form === 'json' ? JSON.parse(given) : given);
    expect(read(text), command).toEqual(read(answer));
  }

  const { paths } = (await service.request('/openapi.json')).body as { paths: Record<string, object> };
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(used).toEqual(new Set(documented.filter((operation) => operation.includes('/plants'))));
});
