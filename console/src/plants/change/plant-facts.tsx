import { PlantHistory } from '../../activity/activity-list.tsx';
import { writeJson } from '../../exact-json.ts';
import type { StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { CopyButton } from '../../ui/controls/copy.tsx';
import { Fold } from '../../ui/fold.tsx';
import styles from './plant-facts.module.css';

/** What is known of a plant beside its fields. */
export function PlantFacts({ plant }: { readonly plant: StoredPlant }) {
  const json = writeJson(plant, 2);
  return (
    <div class={styles['facts']}>
      <Fold title={texts.form.json}>
        <pre>
          <CopyButton label={texts.form.copyJson} text={json} />
          {json}
        </pre>
      </Fold>
      <Fold title={texts.form.history}>
        <PlantHistory id={plant.id} />
      </Fold>
    </div>
  );
}
