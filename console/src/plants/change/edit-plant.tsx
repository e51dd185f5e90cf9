import { useRef } from 'preact/hooks';
import { may } from '../../service/tokens.ts';
import { nextFreeId, type StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, Problem } from '../../ui/messages/dialog.tsx';
import { Field, textOf } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/messages/notice.tsx';
import { useRescuedFocus } from '../../ui/messages/rescued-focus.ts';
import { useLoaded } from '../../ui/use-loaded.ts';
import type { Edit } from '../commands.ts';
import { Conflict } from './conflict.tsx';
import { PlantFacts } from './plant-facts.tsx';
import { type PlantEditor, usePlantEditor } from './use-plant-editor.ts';

interface EditPlantProps {
  readonly edit: Edit;
  readonly onAdd: (plant: StoredPlant) => void;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Adds a plant or edits one. Who was overtaken by another edit sees both versions and chooses. */
export function EditPlant({ edit, onAdd, onEnd }: EditPlantProps) {
  const editor = usePlantEditor(edit, onAdd, onEnd);
  if (editor.overtakenBy !== undefined) return <Conflict editor={editor} onEnd={onEnd} />;
  return <PlantForm editor={editor} plant={edit.plant} />;
}

function PlantForm({
  editor,
  plant,
}: {
  readonly editor: PlantEditor;
  readonly plant: StoredPlant | undefined;
}) {
  const { draft, base, problems, isBusy, isOutdated, isDeleted, current, type, submit, leave } = editor;
  const isReadOnly = !may('plants:write');
  const outdatedNotice = useRescuedFocus<HTMLDivElement>([isOutdated]);
  const next = useLoaded(async (signal) => (plant ? undefined : nextFreeId(signal)), [isBusy]);
  const form = useRef<HTMLFormElement>(null);
  const submitAnother = () => {
    submit(true);
    form.current?.querySelector('textarea')?.focus();
  };
  const { id: _id, name, tag, ...unknown } = current;
  return (
    <Dialog
      key="form"
      title={plant ? (isReadOnly ? texts.form.openTitle : texts.form.editTitle) : texts.form.addTitle}
      isDrawer
      onClose={leave}
    >
      <form
        ref={form}
        aria-busy={plant !== undefined && base === undefined}
        onSubmit={(event) => {
          event.preventDefault();
          submit(false);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          submitAnother();
        }}
      >
        <div role="status" tabIndex={-1} ref={outdatedNotice}>
          {isOutdated && (
            <Notice action={texts.show} onAction={editor.takeIn}>
              {isDeleted ? texts.form.gone : texts.conflict.title}
            </Notice>
          )}
        </div>
        <Field
          label={texts.plants.id}
          value={plant ? String(plant.id) : (draft.id ?? '')}
          {...(!plant && { hint: texts.form.idHint, placeholder: next.value?.toString() })}
          problem={problems.id}
          isReadOnly={plant !== undefined}
          onInput={(id) => type({ id })}
        />
        <Field
          label={texts.plants.name}
          kind="lines"
          value={draft.name ?? name}
          problem={problems.name}
          isReadOnly={isReadOnly}
          hasFocus
          onInput={(typed) => type({ name: typed })}
        />
        <Field
          label={texts.plants.tag}
          kind="lines"
          value={draft.tag ?? tag ?? ''}
          {...(!isReadOnly && { hint: texts.form.tagHint })}
          problem={problems.tag}
          isReadOnly={isReadOnly}
          onInput={(typed) => type({ tag: typed })}
        />
        {Object.entries(unknown).map(([label, value]) => (
          <Field key={label} label={label} value={textOf(value)} kind="lines" isReadOnly />
        ))}
        <Problem text={problems.form} />
        {plant && <PlantFacts plant={base?.plant ?? plant} />}
        <footer>
          <button type="button" onClick={leave}>
            {isReadOnly ? texts.close : texts.cancel}
          </button>
          {!plant && (
            <Button isOff={isBusy} onClick={submitAnother}>
              {texts.form.saveAndAdd}
            </Button>
          )}
          {!isReadOnly && (
            <Button type="submit" class="primary" isBusy={isBusy}>
              {texts.form.save}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}
