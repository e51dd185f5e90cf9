import { useEffect, useState } from 'preact/hooks';
import { feed, type Feed } from '../../service/changes.ts';
import { isSame, type StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { Notice } from '../../ui/messages/notice.tsx';
import { useRescuedFocus } from '../../ui/messages/rescued-focus.ts';

interface ChangedNoticeProps {
  /** What the list shows; undefined while it changes. */
  readonly plants: readonly StoredPlant[] | undefined;
  /** What was known of changes before the list was read. */
  readonly known: Feed | undefined;
  readonly read: (signal: AbortSignal) => Promise<{ readonly plants: readonly StoredPlant[] }>;
  readonly onRefresh: () => void;
}

/** Says how many of the plants on the screen have changed elsewhere: as they do, or when the user returns to the page. */
export function ChangedNotice({ plants, known, read, onRefresh }: ChangedNoticeProps) {
  const [count, setCount] = useState(0);
  useEffect(() => {
    setCount(0);
    if (plants === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const stop = feed.subscribe((now) => {
      // Where no changes are kept, each return to the page says so.
      if (now === known || (now?.failure && now.failure.status !== 410)) return;
      // Only the service knows which plants a list has.
      read(signal).then(
        (page) => signal.aborted || setCount(countChanges(plants, page.plants)),
        () => undefined,
      );
    });
    return () => {
      stop();
      controller.abort();
    };
  }, [plants]);
  useRescuedFocus([count]);
  return (
    <div role="status">
      {count > 0 && (
        <Notice action={texts.plants.refresh} onAction={onRefresh}>
          {texts.plants.changedMeanwhile(count)}
        </Notice>
      )}
    </div>
  );
}

/** How many plants are new, gone or different. */
function countChanges(before: readonly StoredPlant[], now: readonly StoredPlant[]): number {
  const known = new Map(before.map((plant) => [plant.id, plant]));
  const kept = now.filter(({ id }) => known.has(id));
  const changed = kept.filter((plant) => !isSame(plant, known.get(plant.id) ?? plant));
  return changed.length + (before.length - kept.length) + (now.length - kept.length);
}
