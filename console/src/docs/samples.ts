import type { Message } from './exchange.ts';

type Sample = (message: Message, needsToken: boolean) => string;

/** Programs that send a request, with the token of the variable `TOKEN` if it needs one. Each uses only what its language has. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  curl({ method, url, headers, body }, needsToken) {
    const lines = [
      `curl ${method === 'GET' ? '' : `-X ${method} `}${shellWord(url)}`,
      ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
      ...Object.entries(headers).map((header) => `-H ${shellWord(header.join(': '))}`),
      ...(body === undefined ? [] : [`--data-binary ${shellWord(body)}`]),
    ];
    return lines.join(' \\\n  ');
  },

  JavaScript({ method, url, headers, body }, needsToken) {
    const all = headersOf(headers, needsToken && '`Bearer ${process.env.TOKEN}`');
    return [
      `const response = await fetch(${quoted(url)}, {`,
      `  method: ${quoted(method)},`,
      ...block(
        '  headers: {',
        all.map(([name, value]) => `    ${name}: ${value},`),
        '  },',
      ),
      ...(body === undefined ? [] : [`  body: \`${escaped(body, /[\\`]|\$(?=\{)/g)}\`,`]),
      '});',
      'console.log(response.status, await response.text());',
    ].join('\n');
  },

  Python({ method, url, headers, body }, needsToken) {
    const all = headersOf(headers, needsToken && `"Bearer " + os.environ["TOKEN"]`);
    return [
      ...(needsToken ? ['import os'] : []),
      `from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${quoted(url)},
    method=${quoted(method)},`,
      ...block(
        '    headers={',
        all.map(([name, value]) => `        ${name}: ${value},`),
        '    },',
      ),
      ...(body === undefined ? [] : [`    data='''${escaped(body, /[\\']/g)}'''.encode(),`]),
      `)
try:
    response = urlopen(request)
except HTTPError as error:
    response = error
print(response.status, response.read().decode())`,
    ].join('\n');
  },

  Go({ method, url, headers, body }, needsToken) {
    const all = headersOf(headers, needsToken && '"Bearer "+os.Getenv("TOKEN")');
    const reader =
      body === undefined ? 'nil' : `strings.NewReader(\`${body.replaceAll('`', '` + "`" + `')}\`)`;
    const packages = ['fmt', 'io', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
    const orPanic = '\tif err != nil {\n\t\tpanic(err)\n\t}';
    return [
      'package main\n\nimport (',
      ...packages.map((name) => `\t"${name}"`),
      ')\n\nfunc main() {',
      `\trequest, err := http.NewRequest(${quoted(method)}, ${quoted(url)}, ${reader})`,
      orPanic,
      ...all.map(([name, value]) => `\trequest.Header.Set(${name}, ${value})`),
      '\tresponse, err := http.DefaultClient.Do(request)',
      orPanic,
      '\tdefer response.Body.Close()',
      '\tfmt.Println(response.Status)',
      '\tio.Copy(os.Stdout, response.Body)',
      '}',
    ].join('\n');
  },
};

/** The headers of a request as a program has them, after that of the token. */
function headersOf(headers: Message['headers'], token: string | false): string[][] {
  const all = Object.entries(headers).map((header) => header.map(quoted));
  return token === false ? all : [[quoted('Authorization'), token], ...all];
}

/** Lines between a first and a last one, or nothing. */
function block(first: string, lines: readonly string[], last: string): string[] {
  return lines.length === 0 ? [] : [first, ...lines, last];
}

/** A text on one line. JavaScript, Python and Go take what JSON does. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function escaped(text: string, characters: RegExp): string {
  return text.replaceAll(characters, String.raw`\$&`);
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
