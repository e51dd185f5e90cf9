import { texts } from '../../texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { ChevronLeftIcon, ChevronRightIcon, FirstIcon } from '../../ui/icons.tsx';

/** Where a page is: a page knows only the next one, so the history keeps those before it. */
export interface Place {
  /** The cursor; null on the first page. */
  readonly after: string | null;
  /** How many plants come before; undefined where a link led here. */
  readonly first?: number;
  readonly trail: readonly Omit<Place, 'trail'>[];
}

interface PagerProps {
  readonly label: string;
  readonly place: Place;
  readonly next: string | undefined;
  /** Plants of this page. */
  readonly count: number;
  readonly onShow: (place: Place) => void;
}

/** Turns the pages. */
export function Pager({ label, place, next, count, onShow }: PagerProps) {
  const { trail, ...here } = place;
  const before = trail.at(-1);
  return (
    <nav aria-label={label}>
      <IconButton
        icon={FirstIcon}
        label={texts.plants.first}
        isOff={here.after === null}
        onClick={() => onShow({ after: null, first: 0, trail: [] })}
      />
      <IconButton
        icon={ChevronLeftIcon}
        label={texts.plants.previous}
        isOff={before === undefined}
        onClick={() => before && onShow({ ...before, trail: trail.slice(0, -1) })}
      />
      <IconButton
        icon={ChevronRightIcon}
        label={texts.plants.next}
        isOff={next === undefined}
        onClick={() =>
          next !== undefined &&
          onShow({
            after: next,
            ...(here.first !== undefined && { first: here.first + count }),
            trail: [...trail, here],
          })
        }
      />
    </nav>
  );
}
