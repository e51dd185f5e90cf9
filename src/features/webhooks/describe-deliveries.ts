import type { INestApplicationContext } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { namesOf } from '../../kernel/resource/resource.js';
import { ChangeFeeds } from '../changes/live-feed.js';
import { MAX_CHANGES, TEST } from './delivery.js';

type Schema = Exclude<
  NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string],
  { $ref: string }
>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;

const TEXT = { type: 'string' } as const;

/** The headers of Standard Webhooks. */
const HEADERS = {
  'webhook-id': 'The id of the request; retries repeat it.',
  'webhook-timestamp': 'When the request was sent, in seconds since 1970.',
  'webhook-signature': 'One or two signatures, separated by a space (Standard Webhooks).',
};

/** Describes what receivers get: the changes of each resource that keeps them, and tests. */
export function describeDeliveries(contract: OpenAPIObject, service: INestApplicationContext): void {
  contract.webhooks = {};
  const resources = service.get(ChangeFeeds, { strict: false }).resources.map(namesOf);
  for (const { name, Noun } of resources)
    describeType(contract, `${name}.changed`, `${Noun}Delivery`, {
      timestamp: 'When the last of the changes was made.',
      data: {
        minItems: 1,
        maxItems: MAX_CHANGES,
        items: { $ref: getSchemaPath(`${Noun}Change`) },
        description: 'The changes in their order.',
      },
      operationId: `receive${Noun}Changes`,
      summary: `Receive changes of ${name}`,
      description: 'The service sends this to the address of each webhook of the resource.',
      responses: {
        '2XX': {
          description: 'The receiver has the changes. The next request begins after the last of them.',
        },
        '410': { description: 'The receiver wants no more: the service pauses the webhook.' },
        default: { description: 'The service sends the same request again later.' },
      },
    });
  const newWebhook = contract.components?.schemas?.NewWebhook;
  if (newWebhook && 'properties' in newWebhook && newWebhook.properties?.resource) {
    // Generators take a list of values or a pattern, not both.
    const { pattern: _, maxLength: __, ...resource } = newWebhook.properties.resource as Schema;
    newWebhook.properties.resource = { ...resource, enum: resources.map(({ name }) => name) };
  }
  describeType(contract, TEST, 'TestDelivery', {
    timestamp: 'When the test was sent.',
    data: { maxItems: 0, items: {}, description: 'No changes.' },
    operationId: 'receiveTest',
    summary: 'Receive a test',
    description: 'The service sends this once for each call of `testWebhook`.',
    responses: { default: { description: 'The caller of `testWebhook` gets the status.' } },
  });
}

/** Describes the requests of one type. */
function describeType(
  { components: { schemas = {} } = {}, webhooks = {} }: OpenAPIObject,
  type: string,
  schema: string,
  { timestamp, data, ...operation }: Operation & { readonly timestamp: string; readonly data: Schema },
): void {
  schemas[schema] = {
    type: 'object',
    description: `The body of a request of the type \`${type}\`.`,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { ...TEXT, enum: [type] },
      timestamp: { ...TEXT, format: 'date-time', description: timestamp },
      data: { type: 'array', ...data },
    },
  };
  webhooks[type] = {
    post: {
      ...operation,
      tags: ['webhooks'],
      // Receivers check the signature instead of a token.
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
        content: { 'application/json': { schema: { $ref: getSchemaPath(schema) } } },
      },
    },
  };
}
