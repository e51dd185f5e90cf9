import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BEARER } from '../../src/kernel/auth/access.decorators.js';
import { type Service, startService, TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Fetched when it is first used: with the archive of 85 MB, it is nothing that `npm ci` should bring. It needs Java. */
const SPECMATIC = 'specmatic@2.55.1';

/** What became of one request of the tester. */
interface Verdict {
  /** Such as `+ve  Scenario: POST /plants -> 200`. */
  readonly scenario: string;
  /** Undefined where the answer was as documented. */
  readonly failure: string | undefined;
}

/**
 * Lets Specmatic (https://specmatic.io) test a service against the agreed contract, with requests that it makes up, valid and not.
 * It allows no other members.
 */
async function testAgreement(service: Service): Promise<Verdict[]> {
  const folder = temporaryFolder();
  copyFileSync(new URL('openapi.json', import.meta.url), join(folder, 'openapi.json'));
  const environment = {
    ...process.env,
    // The token of the security scheme of this name.
    [BEARER]: TOKEN,
    SPECMATIC_DISABLE_TELEMETRY: 'true',
    SPECMATIC_GENERATIVE_TESTS: 'true',
  };
  const baseUrl = `--testBaseURL=${service.url}`;
  const command = ['test', baseUrl, '--junitReportDir=junit', 'openapi.json'];
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

test('Specmatic gets exactly what was agreed, member by member, to requests that it makes up', async () => {
  const verdicts = await testAgreement(await startService());

  expect(verdicts.filter(({ failure }) => failure !== undefined)).toEqual([]);
  const [valid, invalid] = ['+ve', '-ve'].map((kind) =>
    verdicts.filter(({ scenario }) => scenario.startsWith(kind)),
  );
  expect(valid?.length).toBeGreaterThan(1);
  expect(invalid?.length).toBeGreaterThan(10);
});
