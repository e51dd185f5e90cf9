import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { curlRequest } from '../support/network/curl.js';
import { OPERATIONS } from '../contract/operations.js';
import { withoutOtherFields } from '../support/plants.js';
import { type Service, startService } from '../support/service.js';

const TOKEN = 'my-own-secret-token';

function read(document: string): string {
  return readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
}

/** Stands in a document for a text that is another one each time. */
const ANYTHING = '…';

/** An id that the service has made. */
const ASSIGNED_ID = /(?<=\/(tokens|webhooks)\/)[0-9a-f]{12}/;

/**
 * Runs the `curl` commands of a document in their order, compares the answers that it shows, and returns the operations. `$ID` and
 * `$SECRET` in a command are of the token or webhook that one before has made, `$ETAG` is the last entity tag.
 */
async function runCommands(service: Service, document: string): Promise<Set<string>> {
  const used = new Set<string>();
  const variables = { TOKEN, ID: '', SECRET: '', ETAG: '' };
  const examples = read(document).matchAll(
    /^```sh\n(curl [^]*?)^```\n(?:\n```(json|text)\n([^]*?)^```\n)?/gm,
  );
  for (const [, command = '', form = 'text', answer = ''] of examples) {
    const { url, init } = curlRequest(command, variables);
    const { pathname, search } = new URL(url);
    used.add(`${init.method} ${pathname.replace(ASSIGNED_ID, '{id}').replace(/\d+/, '{id}')}`);

    const { status, headers, text: whole, body } = await service.request(pathname + search, init);
    const text = withoutOtherFields(whole);
    const { id, secret } = Object(body) as Record<string, string>;
    if (id !== undefined && secret !== undefined) Object.assign(variables, { ID: id, SECRET: secret });
    variables.ETAG = headers.get('etag') ?? variables.ETAG;

    expect(status, command).toBeLessThan(300);
    if (form === 'json') expect(JSON.parse(text), command).toEqual(JSON.parse(answer, readAnyText));
    else expect(text, command).toEqual(withAnyLines(answer));
  }
  return used;
}

/** A member called `…` stands for any others. */
function readAnyText(_name: string, value: unknown): unknown {
  if (value === ANYTHING) return expect.anything();
  const { [ANYTHING]: others, ...members } = Object(value) as Record<string, unknown>;
  return others === undefined ? value : expect.objectContaining(members);
}

/** A text in which lines of `…` alone stand for any number of lines. */
function withAnyLines(answer: string): unknown {
  const parts = answer.split(`${ANYTHING}\n`).map((part) => RegExp.escape(part));
  return expect.stringMatching(new RegExp(`^${parts.join('[^]*')}$`));
}

test('the requests of the README are answered as it says, as often as one sends them', async () => {
  const service = await startService({ BOOTSTRAP_TOKEN: TOKEN });

  for (let run = 1; run <= 2; run += 1) {
    expect(await runCommands(service, 'README.md')).toEqual(new Set(['POST /plants', 'DELETE /plants/{id}']));
  }
});

test('every command of docs/api.md is answered as it says, and there is one for each operation', async () => {
  const [, line = ''] = /```sh\n(.+) npm start\n/.exec(read('docs/api.md')) ?? [];
  const { DATABASE_URL, ...environment } = Object.fromEntries(
    line.split(' ').map((setting) => setting.split('=')),
  ) as Record<string, string>;
  expect(DATABASE_URL).toMatch(/^sqlite:/);
  const service = await startService(environment);

  const shown = await runCommands(service, 'docs/api.md');
  const missing = Object.keys(OPERATIONS).filter((operation) => !shown.has(operation));
  expect(missing, 'show a curl command and its response for each of these in docs/api.md').toEqual([]);
});
