import { describe, expect, test } from 'vitest';
import { startService } from '../support/service.js';
import type { Document } from './document.js';
import { exchangeAll, EXCHANGES, PREPARATION, UNTRIED } from './exchanges.js';
import { testWithSpecmatic } from './specmatic.js';

/** Lets Specmatic test a service with exchanges that were recorded with another one. */
async function verdictsOn(isGenerative: boolean) {
  const recordings = await exchangeAll(await startService());
  const service = await startService();
  await service.database.execute(PREPARATION);
  const document = (await service.request('/openapi.json')).body as Document;
  const verdicts = await testWithSpecmatic(service, recordings, isGenerative);
  return { documented: documentedBy(document), verdicts };
}

/** The statuses that a document names of each operation, such as `GET /plants -> 200`. */
function documentedBy({ paths }: Document): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} -> ${status}`),
    ),
  );
}

/** The operation and the status that a scenario is about. */
function triedBy(scenario: string): string {
  const [, tried = ''] = /Scenario: (\S+ \S+ -> \w+)/.exec(scenario) ?? [];
  return tried.replace(/\((\w+):\w+\)/, '{$1}');
}

describe('Specmatic', () => {
  test('gets the documented answers to the same exchanges, which try every operation', async () => {
    const { documented, verdicts } = await verdictsOn(false);

    expect(verdicts.filter(({ failure }) => failure !== undefined)).toEqual([]);
    const tried = new Set(verdicts.map(({ scenario }) => triedBy(scenario)));
    const untried = documented.filter((status) => !tried.has(status));
    expect(untried.filter((name) => !UNTRIED.some((status) => name.endsWith(`${status}`)))).toEqual([]);
    // It passes over an exchange whose answer is not documented.
    const replayed = new Set(verdicts.map(({ scenario }) => Number(/ example '(\d+)'/.exec(scenario)?.[1])));
    expect(EXCHANGES.filter((_exchange, index) => !replayed.has(index))).toEqual([]);
  });

  test('gets only documented answers to requests that it makes of the contract', async () => {
    const { documented, verdicts } = await verdictsOn(true);

    const wrong = verdicts.filter(({ scenario, failure }) => {
      if (failure === undefined) return false;
      // What fits the contract can still be refused for what the store holds: a taken id, or a plant that is gone.
      const [, status = ''] = /but response contained status (\d+)/.exec(failure) ?? [];
      return !documented.includes(triedBy(scenario).replace(/\w+$/, status));
    });
    expect(wrong).toEqual([]);
    const [valid, invalid] = ['+ve', '-ve'].map((kind) =>
      verdicts.filter(({ scenario }) => scenario.startsWith(kind)),
    );
    expect(valid?.length).toBeGreaterThan(100);
    expect(invalid?.length).toBeGreaterThan(50);
    expect(invalid?.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });
});
