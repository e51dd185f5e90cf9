import { expect } from 'vitest';
import { createRequest, type Answer, type Service } from '../support/service.js';
import { PUBLIC_OPERATIONS } from './operations.js';

/** A request of a client, and the status that it is answered with on a store where only those before it have been. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON. */
  readonly body?: object | string;
  readonly status: number;
}

const PLANT = { id: 1, name: 'Monstera deliciosa', tag: 'houseplant' };
const CONTENT = { name: 'Aloe vera' };
const FILTERS = { tag: 'houseplant', name: 'Mon' };
const PAGE = { limit: '10', after: 'Monstera,7' };

function batch(...operations: object[]) {
  return { operations };
}

const TOKEN = { name: 'greenhouse', scopes: ['plants:read'], expiresAt: '2099-01-01T00:00:00Z' };

/** Gives the token of the tests the id `last`, and makes another one and a webhook called `old`. */
export const PREPARATION = `UPDATE access_tokens SET id = 'last';
  INSERT INTO access_tokens (id, name, digest, scopes, created_at)
  VALUES ('old', 'old', '', 'plants:read', '2026-03-01T08:30:00.000Z');
  INSERT INTO webhooks (id, url, resource, kinds, generation, created_at, state, cursor, lease_holder, lease_until)
  VALUES ('old', 'https://receiver.example.org/plants', 'plants', 'created', 1, '2026-03-01T08:30:00.000Z', 'paused', 0, '', '')`;

/** With which a service can have webhooks. */
export const ENVIRONMENT = { WEBHOOK_KEY: 'a-key-for-the-webhooks-of-the-contract' };

const WEBHOOK = { url: 'https://receiver.example.org/plants', resource: 'plants', kinds: ['deleted'] };
const NO_ID = 'x'.repeat(65);

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };
/** Nobody's token, in a form that is no guess, of which there may be as many as one likes. */
const STRANGER = { Authorization: `Bearer pst_${'0'.repeat(38)}` };
const EXISTS = { 'If-Match': '*' };
const IS_NEW = { 'If-None-Match': '*' };
const IS_ANOTHER = { 'If-Match': '"0"' };

/** What is tried of each operation with a good token. In the order of the contract. */
const EXCHANGES: readonly Exchange[] = [
  { method: 'GET', path: '/health/live', status: 200 },
  { method: 'GET', path: '/health/ready', status: 200 },

  { method: 'GET', path: '/metrics', status: 200 },

  { method: 'POST', path: '/plants', body: PLANT, status: 200 },
  { method: 'POST', path: '/plants', body: PLANT, status: 400 },
  { method: 'GET', path: '/plants', query: { ...PAGE, ...FILTERS }, status: 200 },
  { method: 'GET', path: '/plants', query: { after: 'nowhere' }, status: 400 },

  { method: 'POST', path: '/plants/batch', body: batch({ kind: 'put', id: 5, body: CONTENT }), status: 200 },
  { method: 'POST', path: '/plants/batch', body: batch({ kind: 'delete' }), status: 400 },
  { method: 'POST', path: '/plants/batch', body: batch({ kind: 'delete', id: 404 }), status: 404 },
  { method: 'POST', path: '/plants/batch', body: batch({ kind: 'create', body: PLANT }), status: 409 },
  {
    method: 'POST',
    path: '/plants/batch',
    body: batch({ kind: 'delete', id: 1, ifMatch: '"0"' }),
    status: 412,
  },
  { method: 'POST', path: '/plants/import', headers: NDJSON, body: '{"id":2,"name":""}\n{}\n', status: 200 },
  { method: 'GET', path: '/plants/export', status: 200 },
  { method: 'GET', path: '/plants/count', query: FILTERS, status: 200 },
  { method: 'GET', path: '/plants/count', query: { tag: '\0' }, status: 400 },
  { method: 'GET', path: '/plants/changes', query: { ...PAGE, after: '0' }, status: 200 },
  { method: 'GET', path: '/plants/changes', query: { after: 'nowhere' }, status: 400 },
  { method: 'GET', path: '/plants/changes', query: { after: '1' }, status: 410 },

  { method: 'GET', path: '/plants/1', headers: EXISTS, status: 200 },
  { method: 'GET', path: '/plants/1', headers: IS_NEW, status: 304 },
  { method: 'GET', path: '/plants/x', status: 400 },
  { method: 'GET', path: '/plants/404', status: 404 },
  { method: 'POST', path: '/plants/1', status: 405 },
  { method: 'GET', path: '/plants/1', headers: IS_ANOTHER, status: 412 },
  ...[MERGE_PATCH, {}].flatMap((type) => [
    { method: 'PATCH', path: '/plants/1', headers: { ...type, ...EXISTS }, body: { tag: null }, status: 200 },
    { method: 'PATCH', path: '/plants/x', headers: type, body: CONTENT, status: 400 },
    { method: 'PATCH', path: '/plants/404', headers: type, body: CONTENT, status: 404 },
    { method: 'PATCH', path: '/plants/1', headers: { ...type, ...IS_ANOTHER }, body: CONTENT, status: 412 },
  ]),
  { method: 'PUT', path: '/plants/1', headers: EXISTS, body: CONTENT, status: 200 },
  { method: 'PUT', path: '/plants/3', headers: IS_NEW, body: CONTENT, status: 201 },
  { method: 'PUT', path: '/plants/x', body: CONTENT, status: 400 },
  { method: 'PUT', path: '/plants/1', headers: IS_NEW, body: CONTENT, status: 412 },
  { method: 'DELETE', path: '/plants/2', headers: EXISTS, status: 204 },
  { method: 'DELETE', path: '/plants/x', status: 400 },
  { method: 'DELETE', path: '/plants/404', status: 404 },
  { method: 'DELETE', path: '/plants/1', headers: IS_ANOTHER, status: 412 },

  { method: 'GET', path: '/tokens', query: { limit: '10' }, status: 200 },
  { method: 'GET', path: '/tokens', query: { after: 'nowhere' }, status: 400 },
  { method: 'POST', path: '/tokens', body: TOKEN, status: 201 },
  { method: 'POST', path: '/tokens', body: { ...TOKEN, scopes: ['unknown'] }, status: 400 },
  { method: 'POST', path: '/tokens', body: TOKEN, status: 201 },
  { method: 'GET', path: '/tokens/current', status: 200 },
  { method: 'GET', path: '/tokens/old', status: 200 },
  { method: 'GET', path: `/tokens/${NO_ID}`, status: 400 },
  { method: 'GET', path: '/tokens/unknown', status: 404 },
  { method: 'DELETE', path: '/tokens/old', query: { lastAdmin: 'true' }, status: 204 },
  { method: 'DELETE', path: '/tokens/old', query: { lastAdmin: 'perhaps' }, status: 400 },
  { method: 'DELETE', path: '/tokens/unknown', status: 404 },
  { method: 'DELETE', path: '/tokens/last', status: 409 },

  { method: 'GET', path: '/webhooks', status: 200 },
  { method: 'POST', path: '/webhooks', body: WEBHOOK, status: 201 },
  { method: 'POST', path: '/webhooks', body: { ...WEBHOOK, url: 'https://127.0.0.1/' }, status: 400 },
  { method: 'POST', path: '/webhooks', body: WEBHOOK, status: 201 },
  { method: 'GET', path: '/webhooks/old', status: 200 },
  { method: 'GET', path: `/webhooks/${NO_ID}`, status: 400 },
  { method: 'GET', path: '/webhooks/unknown', status: 404 },
  { method: 'PATCH', path: '/webhooks/old', body: { url: WEBHOOK.url }, status: 200 },
  { method: 'PATCH', path: '/webhooks/old', body: { url: 'https://127.0.0.1/' }, status: 400 },
  { method: 'PATCH', path: '/webhooks/unknown', body: { url: WEBHOOK.url }, status: 404 },
  { method: 'GET', path: '/webhooks/old/deliveries', status: 200 },
  { method: 'GET', path: `/webhooks/${NO_ID}/deliveries`, status: 400 },
  { method: 'GET', path: '/webhooks/unknown/deliveries', status: 404 },
  { method: 'POST', path: '/webhooks/old/test', status: 200 },
  { method: 'POST', path: `/webhooks/${NO_ID}/test`, status: 400 },
  { method: 'POST', path: '/webhooks/unknown/test', status: 404 },
  { method: 'POST', path: '/webhooks/old/pause', status: 200 },
  { method: 'POST', path: `/webhooks/${NO_ID}/pause`, status: 400 },
  { method: 'POST', path: '/webhooks/unknown/pause', status: 404 },
  { method: 'POST', path: '/webhooks/old/resume', body: { after: 0 }, status: 200 },
  { method: 'POST', path: '/webhooks/old/resume', body: { after: 'x' }, status: 400 },
  { method: 'POST', path: '/webhooks/unknown/resume', body: { after: 0 }, status: 404 },
  { method: 'POST', path: '/webhooks/old/resume', body: { after: 1 }, status: 410 },
  { method: 'POST', path: '/webhooks/old/rotate', status: 200 },
  { method: 'POST', path: `/webhooks/${NO_ID}/rotate`, status: 400 },
  { method: 'POST', path: '/webhooks/unknown/rotate', status: 404 },
  { method: 'DELETE', path: '/webhooks/old', status: 204 },
  { method: 'DELETE', path: `/webhooks/${NO_ID}`, status: 400 },
  { method: 'DELETE', path: '/webhooks/unknown', status: 404 },
];

/**
 * Documented statuses that no exchange tries: they take a token of few scopes, many requests, a slow or a large one, another media
 * type, other settings, or a service that cannot go on. Other tests have them.
 */
export const UNTRIED = [
  403,
  405,
  408,
  413,
  415,
  429,
  431,
  500,
  503,
  'GET /plants/export -> 400',
  'POST /tokens -> 409',
  'POST /webhooks -> 409',
  'POST /webhooks/{id}/test -> 409',
  'POST /webhooks -> 410',
  'POST /webhooks/{id}/rotate -> 409',
  'PATCH /webhooks/{id} -> 409',
];

/** Sends all exchanges to a service whose store is empty, those that succeed by a token also by nobody's before. */
export async function exchangeAll(service: Service): Promise<(readonly [Exchange, Answer])[]> {
  await service.database.execute(PREPARATION);
  const answers: (readonly [Exchange, Answer])[] = [];
  for (const exchange of EXCHANGES) {
    const needsToken = !PUBLIC_OPERATIONS.includes(`${exchange.method} ${exchange.path}`);
    const refused = { ...exchange, headers: { ...exchange.headers, ...STRANGER }, status: 401 };
    for (const each of exchange.status < 300 && needsToken ? [refused, exchange] : [exchange]) {
      const { method, path, query = {}, headers, body, status } = each;
      const address = `${path}?${new URLSearchParams(query).toString()}`;
      const answer = await service.request(address, { ...createRequest(body, headers), method });
      expect(answer.status, JSON.stringify(each)).toBe(status);
      answers.push([each, answer]);
    }
  }
  return answers;
}
