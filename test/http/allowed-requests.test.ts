import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { requestsOf } from '../contract/arbitrary-requests.js';
import type { Document } from '../contract/document.js';
import { createRequest, startService } from '../support/service.js';

/** Values of Errors that say that the request is not one of the contract. */
const INVALID = new Set([40000, 40001, 40002]);

/** What no schema can say: a cursor can only be known from a page, and some parameters do not go together. */
const BEYOND_SCHEMAS =
  /(^|: )(after must come from the Link of a page|ids cannot be combined with other parameters|sort must be name or -name with tag or name|price and currency need each other)\.$/;

test(
  'what the contract allows is not refused as invalid, by any operation',
  { timeout: 180_000 },
  async () => {
    const service = await startService({ LOG_LEVEL: 'silent', SEARCH: 'on' });
    const document = (await service.request('/openapi.json')).body as Document;
    const refusals: string[] = [];

    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const sent = fc.asyncProperty(requestsOf(document, path, operation), async (request) => {
          const { body, headers } = request;
          const answer = await service.request(request.path, {
            ...createRequest(body, headers),
            method: method.toUpperCase(),
          });
          const errors = [answer.body].flat() as ({ error?: number; message?: string } | undefined)[];
          for (const { error = 0, message } of errors.map((one) => one ?? {}))
            if (INVALID.has(error) && !BEYOND_SCHEMAS.test(message ?? ''))
              throw new Error(`${method} ${path}: ${message} ${JSON.stringify(request)}`);
        });
        const { counterexample, errorInstance } = await fc.check(sent, {
          numRuns: inject('isLong') ? 100 : 4,
        });
        if (counterexample !== null) refusals.push(inspect(errorInstance));
      }
    }

    expect(refusals).toEqual([]);
  },
);
