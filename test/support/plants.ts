import type { Answer, Service } from './service.js';

/** A plant that tells its id. */
export function plant(id: number) {
  return { id, name: `plant ${id}`, tag: 'durable' };
}

/** Creates plants with consecutive ids, all at the same time. */
export async function createMany(service: Service, count: number, firstId = 1): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => service.create(plant(firstId + index))),
  );
}
