import type { Plant } from './operation.js';

/** The entity tags that the service has given, and what each of them stands for. */
export class EntityTags {
  private readonly tags = new Map<string, string>();
  private readonly keys = new Map<string, string>();

  /** The tag of a plant; undefined when the service has not told it yet. */
  of(plant: Plant): string | undefined {
    return this.tags.get(keyOf(plant));
  }

  /** Whether a tag may be that of a plant: equal plants have equal tags, different ones different tags. */
  allow(plant: Plant, tag: string): boolean {
    const key = keyOf(plant);
    return (this.tags.get(key) ?? tag) === tag && (this.keys.get(tag) ?? key) === key;
  }

  learn(plant: Plant, tag: string): void {
    if (!this.allow(plant, tag))
      throw new Error(
        `${tag} is the tag of ${keyOf(plant)} and of ${this.keys.get(tag)}, or not its only one.`,
      );
    this.tags.set(keyOf(plant), tag);
    this.keys.set(tag, keyOf(plant));
  }

  /** Some tag that was given before, however long ago; undefined when none was. */
  at(position: number): string | undefined {
    const all = [...this.keys.keys()];
    return all[position % all.length];
  }
}

function keyOf({ id, name, tag }: Plant): string {
  return JSON.stringify([String(id), name, tag]);
}
