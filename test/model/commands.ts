import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Service } from '../support/service.js';
import type { EntityTags } from './entity-tags.js';
import type { Operation, Plant } from './operation.js';
import { answer, type Expected, type Plants } from './plant-model.js';
import { asRequest, needsCurrentTag, type Observed, type Request, send } from './request.js';

/** What is known of the store: its plants, and the entity tags it has given. */
export interface Knowledge {
  plants: Plants;
  readonly tags: EntityTags;
}

/** The instances of the service, which share one store. */
export interface Instances {
  readonly services: readonly Service[];
  /** Is told of every answer that was as it had to be. */
  readonly onAnswer: (request: Request, status: number) => void;
}

type Command = fc.AsyncCommand<Knowledge, Instances>;

interface Exchange {
  readonly request: Request;
  readonly observed: Observed;
}

/** One client asks one thing, and nobody else asks anything meanwhile. */
export class Ask implements Command {
  constructor(
    private readonly operation: Operation,
    private readonly client: number,
  ) {}

  check(): boolean {
    return true;
  }

  async run(known: Knowledge, instances: Instances): Promise<void> {
    await learnCurrentTag(this.operation, known, instances);
    await ask(asRequest(this.operation, known.plants, known.tags), known, instances, this.client);
  }

  toString(): string {
    return fc.stringify(this.operation);
  }
}

/**
 * Several clients ask at the same time. What they are answered, and what is stored afterwards, has to be what one of the
 * orders would lead to in which each of them is served one request after the other.
 */
export class AskTogether implements Command {
  constructor(private readonly clients: readonly (readonly Operation[])[]) {}

  check(): boolean {
    return true;
  }

  async run(known: Knowledge, instances: Instances): Promise<void> {
    for (const operation of this.clients.flat()) await learnCurrentTag(operation, known, instances);
    const requests = this.clients.map((operations) =>
      operations.map((operation) => asRequest(operation, known.plants, known.tags)),
    );
    const exchanges = await Promise.all(
      requests.map(async (ofOne, client) => {
        const done: Exchange[] = [];
        for (const request of ofOne)
          done.push({ request, observed: await send(serviceOf(client, instances), request) });
        return done;
      }),
    );
    for (const { observed } of exchanges.flat()) learnFrom(observed, known.tags);
    const everything: Request = { kind: 'list', query: { limit: 1000 } };
    const last = { request: everything, observed: await send(serviceOf(0, instances), everything) };
    const plants = findOrder(known.plants, exchanges, last, known.tags);
    if (plants === undefined)
      expect.fail(`No order explains ${fc.stringify({ before: known.plants, exchanges, last })}`);
    known.plants = plants;
    for (const { request, observed } of exchanges.flat()) instances.onAnswer(request, observed.status);
  }

  toString(): string {
    return `together ${fc.stringify(this.clients)}`;
  }
}

/** The plants after an order of the exchanges in which every answer is right, and the last one too. */
function findOrder(
  plants: Plants,
  clients: readonly (readonly Exchange[])[],
  last: Exchange,
  tags: EntityTags,
): Plants | undefined {
  const open = clients.filter((exchanges) => exchanges.length > 0);
  if (open.length === 0) return afterwards(plants, last, tags);
  for (const [client, [first, ...rest]] of open.entries()) {
    const next = first && afterwards(plants, first, tags);
    const end = next && findOrder(next, open.with(client, rest), last, tags);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** The plants after an exchange; undefined when the answer is wrong. */
function afterwards(plants: Plants, { request, observed }: Exchange, tags: EntityTags): Plants | undefined {
  const next = answer(plants, request, tags);
  const { tagOf, ...expected } = next.expected;
  const { entityTag, ...seen } = observed;
  const hasRightTag =
    tagOf === undefined || entityTag === undefined ? tagOf === entityTag : tags.allow(tagOf, entityTag);
  return hasRightTag && isDeepStrictEqual(seen, expected) ? next.plants : undefined;
}

/** Learns the tag of a plant from an answer that shows both. */
function learnFrom({ body, entityTag }: Observed, tags: EntityTags): void {
  if (body !== undefined && entityTag !== undefined) tags.learn(body as Plant, entityTag);
}

/** A client that holds the tag of a plant has read the plant before. */
async function learnCurrentTag(operation: Operation, known: Knowledge, instances: Instances): Promise<void> {
  if (!needsCurrentTag(operation) || !('id' in operation)) return;
  const { id } = operation;
  const current = known.plants.get(id);
  if (current === undefined || known.tags.of({ id, ...current }) !== undefined) return;
  await ask({ kind: 'read', id }, known, instances, 0);
}

async function ask(request: Request, known: Knowledge, instances: Instances, client: number): Promise<void> {
  const { expected, plants } = answer(known.plants, request, known.tags);
  const observed = await send(serviceOf(client, instances), request);
  const { entityTag, ...seen } = observed;
  const { tagOf, ...wanted }: Expected = expected;
  expect(seen, fc.stringify(request)).toStrictEqual(wanted);
  expect(entityTag === undefined, 'has no ETag').toBe(tagOf === undefined);
  if (tagOf !== undefined && entityTag !== undefined) known.tags.learn(tagOf, entityTag);
  known.plants = plants;
  instances.onAnswer(request, observed.status);
}

function serviceOf(client: number, { services }: Instances): Service {
  const service = services[client % services.length];
  if (service === undefined) throw new Error('There is no service.');
  return service;
}
