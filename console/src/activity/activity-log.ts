import type { Change } from '../service/changes.ts';
import type { StoredPlant } from '../service/plants.ts';

/** Groups, and changes of a group, that are kept to be shown. */
const MOST_GROUPS = 500;
const MOST_ENTRIES = 100;

/** Plants whose latest content is remembered, to tell what a change of them has changed. */
const MOST_PLANTS = 10_000;

export interface Entry {
  readonly change: Change;
  /** The plant before the change, where that is known. */
  readonly before: StoredPlant | undefined;
}

/** What somebody did within a minute. */
export interface Group {
  readonly key: string;
  readonly by: string | undefined;
  readonly at: string;
  readonly counts: Readonly<Partial<Record<Change['kind'], number>>>;
  /** Whether there may be more of it, before all that was read. */
  readonly isCut: boolean;
  readonly entries: readonly Entry[];
}

/** Changes by the minute and who made them: it counts any number, and keeps few. */
export class ActivityLog {
  /** @param plants after the last change of each; those that were deleted have no content. */
  constructor(
    private readonly byKey = new Map<string, Group>(),
    private readonly plants = new Map<bigint, StoredPlant | undefined>(),
  ) {}

  /** Newest first. */
  get groups(): readonly Group[] {
    return [...this.byKey.values()].toReversed();
  }

  /** A plant after the last of the changes; undefined if that has deleted it. */
  plantNow(id: bigint): StoredPlant | undefined {
    return this.plants.get(id);
  }

  /**
   * The log with more changes, in place of this one: a view notices a new object.
   *
   * @param isCut whether there may be changes before the first one.
   */
  with(changes: readonly Change[], isCut = false): ActivityLog {
    for (const [index, change] of changes.entries()) {
      const { kind, at, by, plant } = change;
      const before = kind === 'deleted' ? plant : kind === 'changed' ? this.plants.get(plant.id) : undefined;
      const key = `${at.slice(0, 'yyyy-mm-ddThh:mm'.length)} ${by ?? ''}`;
      const group = this.byKey.get(key);
      this.byKey.set(key, {
        key,
        by,
        at,
        isCut: group?.isCut ?? (isCut && index === 0),
        counts: { ...group?.counts, [kind]: (group?.counts[kind] ?? 0) + 1 },
        entries: [{ change, before }, ...(group?.entries ?? []).slice(0, MOST_ENTRIES - 1)],
      });
      // The plants that were changed last stay.
      this.plants.delete(plant.id);
      this.plants.set(plant.id, kind === 'deleted' ? undefined : plant);
      forgetFirst(this.plants, MOST_PLANTS);
    }
    forgetFirst(this.byKey, MOST_GROUPS);
    return new ActivityLog(this.byKey, this.plants);
  }
}

function forgetFirst<Key>(map: Map<Key, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
