import { may } from '../../service/tokens.ts';
import type { PlantFilter } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { CreatedIcon, Icon, ImportIcon } from '../../ui/icons.tsx';
import { go } from '../../ui/route.ts';
import styles from './no-plants.module.css';

interface NoPlantsProps {
  readonly isLoading: boolean;
  /** What was looked for; undefined until the service has said something. */
  readonly filter: PlantFilter | undefined;
  /** Whether the list goes on from a place after its last plant. */
  readonly isPast: boolean;
  readonly onAdd: () => void;
}

/** In place of the table: why it has no rows, and what to do about it. */
export function NoPlants({ isLoading, filter, isPast, onAdd }: NoPlantsProps) {
  if (filter === undefined) return isLoading ? <p class="empty">{texts.loading}</p> : null;
  if (isPast || Object.keys(filter).length > 0)
    return (
      <div class="empty">
        <p>{isPast ? texts.plants.past : texts.plants.noneFound(filter)}</p>
        <button type="button" onClick={() => go('plants')}>
          {texts.plants.clear}
        </button>
      </div>
    );
  const { add, import: bring } = texts.plants.begin;
  const choices = [
    [CreatedIcon, add, onAdd],
    [ImportIcon, bring, () => go('transfer')],
  ] as const;
  return (
    <div class="empty">
      <h2>{texts.plants.none}</h2>
      {may('plants:write') && (
        <div class={`row ${styles['choices']}`}>
          {choices.map(([icon, [title, hint], onClick]) => (
            <button key={title} type="button" onClick={onClick}>
              <Icon of={icon} />
              <strong>{title}</strong>
              <small>{hint}</small>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
