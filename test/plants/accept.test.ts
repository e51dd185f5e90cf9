import { expect, test } from 'vitest';
import { startService } from '../support/service.js';

test('an Accept that no media type of the service satisfies is ignored', async () => {
  const service = await startService();

  for (const accept of [
    'text/html',
    'application/xml;q=1, image/*',
    'application/json;q=0',
    'nonsense',
    '*/*;q=0',
  ])
    for (const path of ['/plants', '/plants/changes?after=0', '/plants/404']) {
      const { headers, body } = await service.send('GET', path, { headers: { Accept: accept } });
      expect(headers.get('content-type'), `${accept} ${path}`).toBe('application/json');
      expect(body).toBeDefined();
    }
});
