import { readNewPlant } from '../support/plant-reference.js';
import { plantText, popularId } from './plant-texts.js';
import { mismatch, type Run } from './run.js';

/** Creates, replaces and changes plants with hostile bodies, and in between reads and deletes some. */
export async function sendBodies(run: Run, indices: Iterable<number>): Promise<void> {
  for (const index of indices) {
    const random = run.random(index);
    const kind = random.pick(['create', 'create', 'put', 'patch'] as const);
    const body = plantText(random, SHAPES[kind]);
    const created = kind === 'create' ? readNewPlant(body) : undefined;
    const id = typeof created === 'object' ? created.id : popularId(random);
    const path = `/plants/${id}`;
    const asJson = { index, headers: ['Content-Type: application/json'], body };
    const [request, expected] = {
      create: () => [{ ...asJson, method: 'POST', path: '/plants' }, run.model.create(body)] as const,
      put: () => [{ ...asJson, method: 'PUT', path }, run.model.put(id, body)] as const,
      patch: () => [{ ...asJson, method: 'PATCH', path }, run.model.patch(id, body)] as const,
    }[kind]();
    await run.send(request, id, (answer) => mismatch(answer, expected));
    // The service may close the connection when it has refused a body that it did not read.
    if (expected.error === 41300) await run.settled();

    if (random.once(3)) {
      const other = popularId(random);
      const method = random.pick(['GET', 'DELETE']);
      const result = method === 'GET' ? run.model.read(other) : run.model.remove(other);
      await run.send({ index, method, path: `/plants/${other}` }, other, (answer) =>
        mismatch(answer, result),
      );
    }
  }
  await run.settled();
}

const SHAPES = { create: 'new plant', put: 'content', patch: 'patch' } as const;
