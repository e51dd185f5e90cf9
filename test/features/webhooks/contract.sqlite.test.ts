import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test, vi } from 'vitest';
import type { Document } from '../../contract/document.js';
import { type Delivered, Receiver } from '../../support/network/receiver.js';
import { hook, startWithHooks } from './hooks.js';

test('the served contract says what a receiver of a webhook gets, and names the types of that and of a change', async () => {
  const service = await startWithHooks();
  const { webhooks, components } = (await service.request('/openapi.json')).body as Document;
  const receiver = await Receiver.start();
  const { id } = await hook(service, receiver);

  await service.create({ id: 1, name: 'Aloe', tag: 'a' });
  await service.send('DELETE', '/plants/1');

  await vi.waitFor(() => expect(receiver.requests).not.toEqual([]));
  await service.send('POST', `/webhooks/${id}/test`);
  const { headers, body } = receiver.requests[0] as Delivered;
  const { parameters = [], requestBody, security } = webhooks['plants.changed']?.['post'] ?? {};
  expect(security).toEqual([]);
  expect(requestBody?.content['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/PlantDelivery',
  });
  expect(components.schemas['PlantDelivery']?.properties?.['data']?.items).toEqual({
    $ref: '#/components/schemas/PlantChange',
  });
  expect(Object.keys(headers)).toEqual(expect.arrayContaining(parameters.map(({ name }) => name)));
  const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ $id: 'contract', components });
  // The delete may come by a request of its own, after the test.
  const tests = receiver.taken.filter((request) => !request.body.includes('plants.changed'));
  const [{ body: tried }] = tests as [Delivered];
  for (const [schema, text] of [
    ['PlantDelivery', body],
    ['TestDelivery', tried],
  ] as const) {
    const validate = ajv.compile({ $ref: `contract#/components/schemas/${schema}` });
    expect(validate(JSON.parse(text)), `${text} ${ajv.errorsText(validate.errors)}`).toBe(true);
  }
});
