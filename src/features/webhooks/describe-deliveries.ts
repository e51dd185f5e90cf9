import type { INestApplicationContext } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { getMetadataArgsStorage } from 'typeorm';
import { changeSchema } from '../changes/changes.controller.js';
import { ChangeFeeds } from '../changes/live-feed.js';
import { MAX_CHANGES } from './delivery.js';

const TEXT = { type: 'string' } as const;

/** The headers of Standard Webhooks. */
const HEADERS = {
  'webhook-id': 'The id of the request; a repeated request has the same.',
  'webhook-timestamp': 'When the request was sent, in seconds since 1970.',
  'webhook-signature': 'One or two signatures, separated by a space (Standard Webhooks).',
};

/** Describes what receivers get: the changes of each resource that keeps them. */
export function describeDeliveries(contract: OpenAPIObject, service: INestApplicationContext): void {
  const webhooks: NonNullable<OpenAPIObject['webhooks']> = {};
  const { schemas = {} } = contract.components ?? {};
  for (const { entity } of service.get(ChangeFeeds, { strict: false }).resources) {
    const [{ name = '' } = {}] = getMetadataArgsStorage().filterTables(entity);
    const type = `${name}.changed`;
    const delivery = `${entity.name}Delivery`;
    schemas[delivery] = {
      type: 'object',
      description: `What a receiver gets of the webhook ${type}.`,
      required: ['type', 'timestamp', 'data'],
      properties: {
        type: { ...TEXT, enum: [type] },
        timestamp: { ...TEXT, format: 'date-time', description: 'When the last of the changes was made.' },
        data: {
          type: 'array',
          minItems: 1,
          maxItems: MAX_CHANGES,
          items: { $ref: getSchemaPath(changeSchema(entity.name)) },
          description: 'The changes in their order.',
        },
      },
    };
    webhooks[type] = {
      post: {
        operationId: `receive${entity.name}Changes`,
        summary: `Receive changes of ${name}`,
        description:
          'The service sends it to the address of each webhook of the resource, with int64s as strings if it is `ieee754Compatible`.',
        tags: ['webhooks'],
        // The signature tells who sends it.
        security: [],
        parameters: Object.entries(HEADERS).map(([header, description]) => ({
          name: header,
          in: 'header',
          required: true,
          description,
          schema: TEXT,
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: getSchemaPath(delivery) } } },
        },
        responses: {
          '2XX': { description: 'The receiver has the changes. The next request begins after the last one.' },
          '410': { description: 'The receiver wants no more: the service pauses the webhook.' },
          default: { description: 'The service sends the same request again later.' },
        },
      },
    };
  }
  contract.webhooks = webhooks;
}
