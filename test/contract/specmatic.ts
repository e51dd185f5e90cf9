import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BEARER } from '../../src/auth/access.decorators.js';
import { type Answer, type Service, TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { Document } from './document.js';
import type { Exchange } from './exchanges.js';

/** Fetched when it is first used: with the archive of 85 MB, it is nothing that `npm ci` should bring. It needs Java. */
const SPECMATIC = 'specmatic@2.55.1';

/** What became of one request of the tester. */
interface Verdict {
  /** Such as `Scenario: GET /plants -> 200 with the request from the example '12'`. */
  readonly scenario: string;
  /** Undefined where the answer was as documented. */
  readonly failure: string | undefined;
}

/**
 * Lets Specmatic (https://specmatic.io) test a service against the contract that this serves, unchanged, with requests that were
 * recorded, and with others that it makes of them within what the contract allows, and beyond.
 */
export async function testWithSpecmatic(
  service: Service,
  recordings: readonly (readonly [Exchange, Answer])[],
): Promise<Verdict[]> {
  const folder = temporaryFolder();
  const { text, body } = await service.request('/openapi.json');
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(JSON.parse(text, withoutLines)));
  mkdirSync(join(folder, 'examples'));
  for (const [index, recording] of recordings.entries()) {
    const name = `${String(index).padStart(2, '0')}.json`;
    writeFileSync(join(folder, 'examples', name), JSON.stringify(exampleOf(body as Document, recording)));
  }
  // It makes every combination of optional members, of which these have too many. They come first, while no plant has an
  // arbitrary name: a `%` in an answer of another media type than it wants breaks the message that says so.
  const manifold =
    "((PATH='/plants' || PATH='/plants/changes') && METHOD='GET') || (PATH='/webhooks' && METHOD='POST')";
  const test = (filter: string, isGenerative: boolean) =>
    verdictsOn(service, folder, isGenerative, ['--examples=examples', `--filter=${filter}`]);
  return [...(await test(manifold, false)), ...(await test(`!(${manifold})`, true))];
}

/** To Specmatic, NDJSON is one text: it does not know that the schema is the one of each line. */
function withoutLines(name: string, value: unknown): unknown {
  return name === 'application/x-ndjson'
    ? { ...Object(value), schema: { type: 'string' }, example: '' }
    : value;
}

/** Lets Specmatic test a service against the agreed contract, with requests that it makes up. It allows no other members. */
export async function testAgreement(service: Service): Promise<Verdict[]> {
  const folder = temporaryFolder();
  copyFileSync(new URL('openapi.json', import.meta.url), join(folder, 'openapi.json'));
  return verdictsOn(service, folder, true);
}

/** The verdicts on a service by the `openapi.json` of a folder. */
async function verdictsOn(
  service: Service,
  folder: string,
  isGenerative: boolean,
  options: readonly string[] = [],
): Promise<Verdict[]> {
  const environment = {
    ...process.env,
    // The token of the security scheme of this name.
    [BEARER]: TOKEN,
    SPECMATIC_DISABLE_TELEMETRY: 'true',
    SPECMATIC_GENERATIVE_TESTS: String(isGenerative),
  };
  const baseUrl = `--testBaseURL=${service.url}`;
  const command = ['test', baseUrl, '--junitReportDir=junit', ...options, 'openapi.json'];
  const output = await run(folder, environment, command);
  try {
    return verdictsOf(readFileSync(join(folder, 'junit', 'TEST-junit-jupiter.xml'), 'utf8'));
  } catch (cause) {
    throw new Error(`Specmatic has reported nothing. It needs Java: default-jre-headless.\n${output}`, {
      cause,
    });
  }
}

/** Runs Specmatic, which fails when one of its tests does; returns what it has written. */
function run(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string> {
  const command = ['exec', '--yes', `--package=${SPECMATIC}`, '--', 'specmatic', ...args];
  return new Promise((resolve) => {
    execFile('npm', command, { cwd, env, maxBuffer: Infinity }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

/** A file of examples as Specmatic reads it: it checks both sides against the contract, then sends the request again. */
function exampleOf(document: Document, [exchange, answer]: readonly [Exchange, Answer]): object {
  const { method, path, query, headers, body } = exchange;
  const { status, text } = answer;
  const documented = new Set(
    Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => Object.keys(responses[status]?.headers ?? {}))
      .map((name) => name.toLowerCase()),
  );
  return {
    'http-request': { method, path, query, headers, body },
    'http-response': {
      status,
      headers: Object.fromEntries(
        [...answer.headers].filter(([name]) => name === 'content-type' || documented.has(name)),
      ),
      ...(text !== '' && { body: isJson(answer) ? answer.body : text }),
    },
  };
}

function isJson({ headers }: Answer): boolean {
  return headers.get('content-type') === 'application/json';
}

/** What a report in the format of JUnit says. */
function verdictsOf(report: string): Verdict[] {
  const cases = report.matchAll(/<testcase [^>]*? name="([^"]*)"[^>]*?(?:\/>|>([^]*?)<\/testcase>)/g);
  return Array.from(cases, ([, name = '', content = '']) => {
    const [, failure] = /<(?:failure|error) message="([^"]*)"/.exec(content) ?? [];
    return {
      scenario: unescape(name).split(' > ').at(-1) ?? '',
      failure: failure === undefined ? undefined : unescape(failure),
    };
  });
}

function unescape(text: string): string {
  return text.replaceAll(/&(gt|lt|quot|apos|amp|#10);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name]);
}

const ENTITIES = { gt: '>', lt: '<', quot: '"', apos: "'", amp: '&', '#10': '\n' };
