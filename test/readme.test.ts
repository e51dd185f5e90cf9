import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { curlRequest } from './support/curl.js';
import { startService } from './support/service.js';

/** The commands of the README in their order, and the answers that it shows. */
function examples(): { command: string; answer: string | undefined }[] {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split('## Operations\n');
  const [operations = ''] = section.split('\n## ');
  return [...operations.matchAll(/^```sh\n(curl [^]*?)^```\n(?:\n```json\n([^]*?)^```\n)?/gm)].map(
    ([, command = '', answer]) => ({ command, answer }),
  );
}

test('every command of the README is answered as it says, and there is one for each operation', async () => {
  const service = await startService({ BOOTSTRAP_TOKEN: 'my-secret-token' });
  const used = new Set<string>();

  for (const { command, answer } of examples()) {
    const { url, init } = curlRequest(command, { TOKEN: 'my-secret-token' });
    const { pathname, search } = new URL(url);
    used.add(`${init.method} ${pathname.replace(/\d+$/, '{id}')}`);

    const { status, text } = await service.request(pathname + search, init);

    expect(status, command).toBeLessThan(300);
    if (answer === undefined) expect(text).toBe('');
    else expect(JSON.parse(text), command).toEqual(JSON.parse(answer));
  }

  const { paths } = (await service.request('/openapi.json')).body as { paths: Record<string, object> };
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(used).toEqual(new Set(documented.filter((operation) => operation.includes('/plants'))));
});
