import { expect, test } from 'vitest';
import { startService } from '../support/service.js';
import type { Document } from './document.js';
import { ENVIRONMENT, exchangeAll, PREPARATION, UNTRIED } from './exchanges.js';
import { testAgreement, testWithSpecmatic } from './specmatic.js';

/** The statuses that a document names of each operation, such as `GET /plants -> 200`. */
function documentedBy({ paths }: Document): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} -> ${status}`),
    ),
  );
}

/** Specmatic wants each media type of a response, and asks for none of them. */
const OTHER_FORM =
  /expected (text\/event-stream|application\/x-ndjson) but response contained application\/json/;

/** The operation and the status that a scenario is about. */
function triedBy(scenario: string): string {
  const [, tried = ''] = /Scenario: (\S+ \S+ -> \w+)/.exec(scenario) ?? [];
  return tried.replace(/\((\w+):\w+\)/, '{$1}');
}

test('Specmatic gets exactly what was agreed, member by member, to requests that it makes up', async () => {
  const verdicts = await testAgreement(await startService());

  expect(verdicts.filter(({ failure }) => failure !== undefined)).toEqual([]);
  const [valid, invalid] = ['+ve', '-ve'].map((kind) =>
    verdicts.filter(({ scenario }) => scenario.startsWith(kind)),
  );
  expect(valid?.length).toBeGreaterThan(1);
  expect(invalid?.length).toBeGreaterThan(10);
});

test('Specmatic gets only documented answers, to exchanges that try every operation and to requests that it makes of them', async () => {
  const recordings = await exchangeAll(await startService(ENVIRONMENT));
  const service = await startService(ENVIRONMENT);
  await service.database.execute(PREPARATION);
  const documented = documentedBy((await service.request('/openapi.json')).body as Document);

  const all = await testWithSpecmatic(service, recordings);

  // It breaks a pattern by a `_` at its end, and most patterns allow that.
  const verdicts = all.filter(({ scenario }) => !scenario.includes('matching an invalid regex'));
  const wrong = verdicts.filter(({ scenario, failure }) => {
    if (failure === undefined) return false;
    if (OTHER_FORM.test(failure)) return false;
    // What fits the contract can still be refused for what the store holds: a taken id, or a plant that is gone.
    const [, status = ''] = /but response contained status (\d+)/.exec(failure) ?? [];
    return !documented.includes(triedBy(scenario).replace(/\w+$/, status));
  });
  expect(wrong).toEqual([]);
  const tried = new Set(verdicts.map(({ scenario }) => triedBy(scenario)));
  const untried = documented.filter((status) => !tried.has(status));
  expect(untried.filter((name) => !UNTRIED.some((status) => name.endsWith(`${status}`)))).toEqual([]);
  const [valid, invalid] = ['+ve', '-ve'].map((kind) =>
    verdicts.filter(({ scenario }) => scenario.startsWith(kind)),
  );
  expect(valid?.length).toBeGreaterThan(100);
  expect(invalid?.length).toBeGreaterThan(50);
  expect(invalid?.filter(({ failure }) => failure !== undefined)).toEqual([]);
});
