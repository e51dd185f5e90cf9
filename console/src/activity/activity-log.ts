import type { Change } from '../service/changes.ts';
import { differencesOf, type StoredPlant } from '../service/plants.ts';

/** Maximum groups, and changes per group. */
const MOST_GROUPS = 500;
const MOST_ENTRIES = 100;

/** Plants remembered, to show what a change changed. */
const MOST_PLANTS = 50_000;

export interface Entry {
  readonly change: Change;
  /** The plant before the change, if known. */
  readonly before: StoredPlant | undefined;
}

/** The changes of one caller within a minute. */
export interface Group {
  readonly key: string;
  readonly by: string | undefined;
  readonly at: string;
  readonly counts: Readonly<Partial<Record<Change['kind'], number>>>;
  /** Whether earlier changes of the group may be missing. */
  readonly isCut: boolean;
  /** The tag that all of its changes have set, if they have done nothing else; null if they have removed it. */
  readonly commonTag: string | null | undefined;
  readonly entries: readonly Entry[];
}

/** Changes by minute and caller: it counts all, and keeps the latest. */
export class ActivityLog {
  /** @param plants by id, after their last change; undefined if deleted. */
  constructor(
    private readonly byKey = new Map<string, Group>(),
    private readonly plants = new Map<bigint, StoredPlant | undefined>(),
    /** The number of changes. */
    readonly count = 0,
  ) {}

  /** Newest first. */
  get groups(): readonly Group[] {
    return [...this.byKey.values()].toReversed();
  }

  /** A plant after its last change; undefined if deleted. */
  plantNow(id: bigint): StoredPlant | undefined {
    return this.plants.get(id);
  }

  /**
   * Adds changes and returns a new object, so that views notice.
   *
   * @param isCut whether earlier changes may be missing.
   */
  with(changes: readonly Change[], isCut = false): ActivityLog {
    for (const [index, change] of changes.entries()) {
      const { kind, at, by, plant } = change;
      const before = kind === 'deleted' ? plant : kind === 'changed' ? this.plants.get(plant.id) : undefined;
      const key = `${at.slice(0, 'yyyy-mm-ddThh:mm'.length)} ${by ?? ''}`;
      const group = this.byKey.get(key);
      // Keep the order of the last change, here and of the plants.
      this.byKey.delete(key);
      this.byKey.set(key, {
        key,
        by,
        at,
        isCut: group?.isCut ?? (isCut && index === 0),
        counts: { ...group?.counts, [kind]: (group?.counts[kind] ?? 0) + 1 },
        commonTag: commonTag(change, before, group),
        entries: [{ change, before }, ...(group?.entries ?? []).slice(0, MOST_ENTRIES - 1)],
      });
      this.plants.delete(plant.id);
      this.plants.set(plant.id, kind === 'deleted' ? undefined : plant);
      forgetFirst(this.plants, MOST_PLANTS);
    }
    forgetFirst(this.byKey, MOST_GROUPS);
    return new ActivityLog(this.byKey, this.plants, this.count + changes.length);
  }
}

/** The tag that a change has set like those of its group before it. */
function commonTag(
  { kind, plant }: Change,
  before: StoredPlant | undefined,
  group: Group | undefined,
): string | null | undefined {
  const tag = plant.tag ?? null;
  if (kind !== 'changed' || !before || (group && group.commonTag !== tag)) return undefined;
  return differencesOf(before, plant).some(({ name }) => name !== 'tag') ? undefined : tag;
}

function forgetFirst<Key>(map: Map<Key, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
