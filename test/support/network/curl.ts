import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { vi } from 'vitest';
import type { RunningProcess } from '../running-process.js';

/** The request that a `curl` command sends; `$NAME` in double quotes is looked up in `variables`. */
export function curlRequest(
  command: string,
  variables: Readonly<Record<string, string>> = {},
): { url: string; init: RequestInit & { method: string } } {
  const args = wordsOf(command, variables);
  const { values, positionals } = parseArgs({
    args: args.slice(1),
    allowPositionals: true,
    options: {
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
      'data-binary': { type: 'string' },
      fail: { type: 'boolean', short: 'f' },
    },
  });
  const { request, header = [], data = values['data-binary'] } = values;
  return {
    url: positionals[0] ?? '',
    init: {
      method: request ?? (data === undefined ? 'GET' : 'POST'),
      headers: header.map((line) => line.split(': ') as [string, string]),
      ...(data !== undefined && { body: data }),
    },
  };
}

/** The words of a shell command, as far as single and double quotes, variables and continued lines go. */
function wordsOf(command: string, variables: Readonly<Record<string, string>>): string[] {
  return [...command.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) =>
      single ?? double?.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? '') ?? bare ?? '',
  );
}

/** The request of the command that the first start prints, with the token from its file. */
export async function printedCurl(service: RunningProcess): Promise<{ url: string; init: RequestInit }> {
  const [command] = await vi.waitUntil(() => /curl [^]*?'\n\n/.exec(service.stderr()));
  return curlRequest(
    command.replace(/\$\(cat '(.+)'\)/, (_, path: string) => readFileSync(path, 'utf8').trim()),
  );
}
