import {
  type NewPlant,
  type PlantContent,
  readContent,
  readNewPlant,
  readPatch,
} from '../support/plant-reference.js';
import { BODY_LIMIT } from './plant-texts.js';

/** What has to be answered. */
export interface Expected {
  readonly status: number;
  readonly error?: number;
  readonly body?: string;
}

/** Whether the conditions of a request hold for a plant, or for none. */
export type Condition = (current: PlantContent | undefined) => boolean;

/** What the store has to hold after the writes that were accepted, and what each has to be answered. */
export class StoreModel {
  readonly plants = new Map<bigint, PlantContent>();
  /** Plants of requests to which nobody read an answer: they may be there, but only like this. */
  readonly perhaps = new Map<bigint, PlantContent>();

  create(bytes: Buffer): Expected {
    const plant = bytes.length > BODY_LIMIT ? 41300 : readNewPlant(bytes);
    if (typeof plant === 'number') return refused(plant);
    const { id, content } = plant;
    if (this.plants.has(id)) return { status: 400, error: 40900 };
    this.plants.set(id, content);
    return { status: 200, body: JSON.stringify(members(content)) };
  }

  /** What has to become of the lines of an import, each by its number; an error value when all of it is refused. */
  import(bytes: Buffer): Map<number, Expected> {
    const results = new Map<number, Expected>();
    let start = 0;
    for (let number = 1; start < bytes.length; number += 1) {
      const found = bytes.indexOf('\n', start);
      const end = found === -1 ? bytes.length : found;
      if (end > start) {
        results.set(number, this.importLine(bytes.subarray(start, end)));
      }
      start = end + 1;
    }
    return results;
  }

  /** A line may be there already, exactly like this. */
  private importLine(bytes: Buffer): Expected {
    const result = this.create(bytes);
    if (result.error !== 40900) return result;
    const { id, content } = readNewPlant(bytes) as NewPlant;
    const current = this.plants.get(id);
    return current?.name === content.name && current.tag === content.tag ? { status: 200 } : refused(40900);
  }

  read(id: bigint): Expected {
    const content = this.plants.get(id);
    return content === undefined ? refused(40401) : { status: 200, body: plantJson(id, content) };
  }

  put(id: bigint, bytes: Buffer, isMet: Condition = () => true): Expected {
    const content = bytes.length > BODY_LIMIT ? 41300 : readContent(bytes);
    if (typeof content === 'number') return refused(content);
    const current = this.plants.get(id);
    if (!isMet(current)) return refused(41200);
    this.plants.set(id, content);
    return { status: current === undefined ? 201 : 200, body: plantJson(id, content) };
  }

  patch(id: bigint, bytes: Buffer, isMet: Condition = () => true): Expected {
    const patch = bytes.length > BODY_LIMIT ? 41300 : readPatch(bytes);
    if (typeof patch === 'number') return refused(patch);
    const current = this.plants.get(id);
    if (current === undefined) return refused(40401);
    if (!isMet(current)) return refused(41200);
    const content = { ...current, ...patch };
    this.plants.set(id, content);
    return { status: 200, body: plantJson(id, content) };
  }

  remove(id: bigint, isMet: Condition = () => true): Expected {
    const current = this.plants.get(id);
    if (current === undefined) return refused(40401);
    if (!isMet(current)) return refused(41200);
    this.plants.delete(id);
    return { status: 204, body: '' };
  }

  /** What plants that are stored should not be there, should be there or are otherwise; a few of them. */
  differences(stored: Iterable<readonly [bigint, PlantContent]>): string[] {
    const missing = new Set(this.plants.keys());
    const differences: string[] = [];
    for (const [id, content] of stored) {
      missing.delete(id);
      const expected = this.plants.get(id) ?? this.perhaps.get(id);
      if (expected?.name !== content.name || expected.tag !== content.tag) {
        differences.push(
          `stored ${plantJson(id, content)} instead of ${expected ? plantJson(id, expected) : 'nothing'}`,
        );
      }
    }
    differences.push(...[...missing].map((id) => `no plant ${id}`));
    return differences.slice(0, 20).map((difference) => difference.slice(0, 500));
  }
}

/** The refusal that an error value stands for. */
export function refused(error: number): Expected {
  return { status: Math.floor(error / 100), error };
}

function plantJson(id: bigint, content: PlantContent): string {
  return JSON.stringify({ id: JSON.rawJSON(String(id)), ...members(content) });
}

function members({ name, tag }: PlantContent): { readonly name: string; readonly tag?: string } {
  return tag === null ? { name } : { name, tag };
}
