import { describe, expect, test } from 'vitest';
import { startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

describe('GET /tokens/current', () => {
  test('tells any token what it is', async () => {
    const service = await startService();

    for (const [scopes, expiresAt] of [
      [['metrics:read'], null],
      [['plants:write', 'plants:read'], new Date('2099-01-01T00:00:00.000Z')],
      // Of a feature that there is no more.
      [['gardens:read'], null],
    ] as const) {
      const { id, headers } = await issue(service, scopes, expiresAt);
      const end = expiresAt && { expiresAt: expiresAt.toJSON() };

      // The second time it is remembered.
      for (let time = 1; time <= 2; time += 1) {
        const { body } = await service.send('GET', '/tokens/current', { headers });
        expect(body).toEqual({ id, name: 'test', scopes, ...end });
      }
    }
  });
});
