import { useState } from 'preact/hooks';
import { patchPlant, type StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Field } from '../ui/field.tsx';
import { say } from '../ui/message.tsx';
import { ChangePlants } from './change-plants.tsx';

interface TagPlantsProps {
  readonly plants: readonly StoredPlant[];
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Gives several plants the same tag, or takes theirs away. */
export function TagPlants({ plants, onEnd }: TagPlantsProps) {
  const [tag, setTag] = useState('');
  return (
    <ChangePlants
      title={texts.tagging.title(plants.length)}
      submit={tag === '' ? texts.tagging.remove : texts.tagging.submit}
      plants={plants}
      change={async (version) => patchPlant(version, { tag: tag === '' ? null : tag })}
      onDone={({ length }, rest) =>
        say(`${tag === '' ? texts.tagging.removed(length) : texts.tagging.done(length)} ${rest}`)
      }
      onEnd={onEnd}
    >
      {(problem) => (
        <Field
          label={texts.plants.tag}
          value={tag}
          hint={texts.form.tagHint}
          problem={problem}
          hasFocus
          onInput={setTag}
        />
      )}
    </ChangePlants>
  );
}
