import type { Content } from './operation.js';

/** The entity tags that the service has given, and what each of them stands for. */
export class EntityTags {
  private readonly tags = new Map<string, string>();
  private readonly keys = new Map<string, string>();

  /** The tag of a content; undefined when the service has not told it yet. */
  of(content: Content): string | undefined {
    return this.tags.get(keyOf(content));
  }

  /** Whether a tag may be that of a content: equal contents have equal tags, different ones different tags. */
  allow(content: Content, tag: string): boolean {
    const key = keyOf(content);
    return (this.tags.get(key) ?? tag) === tag && (this.keys.get(tag) ?? key) === key;
  }

  learn(content: Content, tag: string): void {
    if (!this.allow(content, tag))
      throw new Error(
        `${tag} is the tag of ${keyOf(content)} and of ${this.keys.get(tag)}, or not its only one.`,
      );
    this.tags.set(keyOf(content), tag);
    this.keys.set(tag, keyOf(content));
  }

  /** Some tag that was given before, however long ago; undefined when none was. */
  at(position: number): string | undefined {
    const all = [...this.keys.keys()];
    return all[position % all.length];
  }
}

function keyOf({ name, tag }: Content): string {
  return JSON.stringify([name, tag]);
}
