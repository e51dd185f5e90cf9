import { describe, expect, test } from 'vitest';
import { createRequest, type Service, startService } from '../support/service.js';
import type { Document } from './document.js';
import { EXCHANGES, PREPARATION, UNTRIED } from './exchanges.js';
import { type Recording, testWithSpecmatic } from './specmatic.js';

/** A service whose tokens have ids that the exchanges know. */
async function startPrepared(): Promise<Service> {
  const service = await startService();
  await service.database.execute(PREPARATION);
  return service;
}

/** Sends all exchanges to a service of their own. */
async function record(): Promise<Recording[]> {
  const service = await startPrepared();
  const recordings: Recording[] = [];
  for (const exchange of EXCHANGES) {
    const { method, path, query, headers, body, status } = exchange;
    const address = query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`;
    const answer = await service.request(address, { ...createRequest(body, headers), method });
    expect(answer.status, JSON.stringify(exchange)).toBe(status);
    recordings.push({ exchange, answer });
  }
  return recordings;
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
    const service = await startPrepared();
    const document = (await service.request('/openapi.json')).body as Document;

    const verdicts = await testWithSpecmatic(service, await record(), false);

    expect(verdicts.filter(({ failure }) => failure !== undefined)).toEqual([]);
    const tried = new Set(verdicts.map(({ scenario }) => triedBy(scenario)));
    const untried = documentedBy(document).filter((status) => !tried.has(status));
    expect(untried.filter((name) => !UNTRIED.some((status) => name.endsWith(`${status}`)))).toEqual([]);
    // It passes over an exchange whose answer is not documented.
    const replayed = new Set(verdicts.map(({ scenario }) => Number(/ example '(\d+)'/.exec(scenario)?.[1])));
    expect(EXCHANGES.filter((_exchange, index) => !replayed.has(index))).toEqual([]);
  });

  test('gets only documented answers to requests that it makes of the contract', async () => {
    const service = await startPrepared();
    const documented = documentedBy((await service.request('/openapi.json')).body as Document);

    const verdicts = await testWithSpecmatic(service, await record(), true);

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
