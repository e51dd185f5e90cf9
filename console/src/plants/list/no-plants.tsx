import { may } from '../../service/tokens.ts';
import type { PlantFilter, StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { CreatedIcon, Icon, ImportIcon, PlantIcon } from '../../ui/icons.tsx';
import { toast, toastFailure } from '../../ui/message.tsx';
import { go } from '../../ui/route.ts';
import { runSteps } from '../change/steps.ts';
import { plantsChanged } from '../commands.ts';
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
  const { add, import: bring, samples } = texts.plants.begin;
  const choices = [
    [CreatedIcon, add, onAdd],
    [ImportIcon, bring, () => go('transfer')],
    [PlantIcon, samples, () => void loadSamples()],
  ] as const;
  return (
    <div class="empty">
      <h2>{texts.plants.none}</h2>
      {may('plants:write') && (
        <div class={styles['choices']}>
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

/** Plants to look around with, in a store that has none. */
const SAMPLES: readonly StoredPlant[] = [
  { id: 1n, name: 'Aloe vera', tag: 'succulent' },
  { id: 2n, name: 'Calathea orbifolia', tag: 'foliage' },
  { id: 3n, name: 'Chlorophytum comosum', tag: 'foliage' },
  { id: 4n, name: 'Crassula ovata', tag: 'succulent' },
  { id: 5n, name: 'Epipremnum aureum', tag: 'climber' },
  { id: 6n, name: 'Ficus lyrata', tag: 'tree' },
  { id: 7n, name: 'Hoya carnosa', tag: 'climber' },
  { id: 8n, name: 'Monstera deliciosa', tag: 'climber' },
  { id: 9n, name: 'Nephrolepis exaltata', tag: 'fern' },
  { id: 10n, name: 'Phalaenopsis amabilis', tag: 'orchid' },
  { id: 11n, name: 'Sansevieria trifasciata', tag: 'succulent' },
  { id: 12n, name: 'Zamioculcas zamiifolia' },
];

async function loadSamples(): Promise<void> {
  const { failure } = await runSteps(SAMPLES.map((to) => ({ to })));
  if (failure) toastFailure(failure.message);
  else toast(texts.plants.sampled(SAMPLES.length));
  plantsChanged.value += 1;
}
