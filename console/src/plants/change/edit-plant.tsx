import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { PlantHistory } from '../../activity/activity-list.tsx';
import { may } from '../../service/tokens.ts';
import { nextFreeId, type StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/messages/dialog.tsx';
import { Field, FieldProblem, Problem, textOf } from '../../ui/field.tsx';
import { Notice } from '../../ui/messages/message.tsx';
import { useRescuedFocus } from '../../ui/messages/rescued-focus.ts';
import { useLoaded } from '../../ui/use-loaded.ts';
import type { Edit } from '../commands.ts';
import styles from './change.module.css';
import { Conflict } from './conflict.tsx';
import { type PlantEditor, usePlantEditor } from './use-plant-editor.ts';

interface EditPlantProps {
  readonly edit: Edit;
  readonly onAdd: (plant: StoredPlant) => void;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Adds or edits a plant. After a conflict, shows both versions. */
export function EditPlant({ edit, onAdd, onEnd }: EditPlantProps) {
  const editor = usePlantEditor(edit, onAdd, onEnd);
  if (editor.overtakenBy !== undefined) return <Conflict editor={editor} onEnd={editor.end} />;
  return <PlantForm editor={editor} plant={edit.plant} />;
}

function PlantForm({ editor, plant }: { readonly editor: PlantEditor } & Pick<Edit, 'plant'>) {
  const { draft, base, problem, isBusy, isOutdated, isDeleted, current, type, submit, leave } = editor;
  const readOnly = !may('plants:write');
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
      title={plant ? (readOnly ? 'Plant' : 'Edit plant') : 'Add a plant'}
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
              {isDeleted ? texts.gone : texts.changedElsewhere}
            </Notice>
          )}
        </div>
        <FieldProblem.Provider value={problem ?? {}}>
          <Field
            label={texts.id}
            name="id"
            value={plant ? String(plant.id) : (draft.id ?? '')}
            hint={plant ? undefined : 'Leave empty for the next free ID.'}
            placeholder={next.value?.toString()}
            readOnly={plant !== undefined}
            onInput={(id) => type({ id })}
          />
          <Field
            label={texts.name}
            name="name"
            kind="lines"
            value={draft.name ?? name}
            readOnly={readOnly}
            autoFocus
            onInput={(typed) => type({ name: typed })}
          />
          <Field
            label={texts.tag}
            name="tag"
            kind={current.tag?.includes('\n') ? 'lines' : 'text'}
            list="tags"
            value={draft.tag ?? tag ?? ''}
            hint={readOnly ? undefined : 'Optional'}
            readOnly={readOnly}
            onInput={(typed) => type({ tag: typed })}
          />
        </FieldProblem.Provider>
        {Object.entries(unknown).map(([label, value]) => (
          <Field key={label} label={label} value={textOf(value)} kind="lines" readOnly />
        ))}
        <Problem text={problem?.field === undefined ? problem?.message : undefined} />
        {plant && (
          <div class={styles['facts']}>
            <Fold title="History">
              <PlantHistory id={plant.id} />
            </Fold>
          </div>
        )}
        <footer class="row">
          <Button label={readOnly ? texts.close : texts.cancel} onClick={leave} />
          {!plant && <Button label="Save and add another" isOff={isBusy} onClick={submitAnother} />}
          {!readOnly && <Button label="Save" type="submit" class="primary" isBusy={isBusy} />}
        </footer>
      </form>
    </Dialog>
  );
}

/** A disclosure whose content is rendered while it is open. */
function Fold({ title, children }: Readonly<{ title: string; children: ComponentChildren }>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}
