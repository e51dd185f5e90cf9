import { Fragment } from 'preact';
import type { StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/field.tsx';
import { Dialog } from '../../ui/messages/dialog.tsx';
import { EMPTY_TAG, PlantText, startOf } from '../plant-text.tsx';
import styles from './change.module.css';
import type { PlantEditor } from './use-plant-editor.ts';

/** Maximum characters shown of each part, and of the text before the difference. */
const SHOWN = 300;
const BEFORE = 40;

interface ConflictProps {
  readonly editor: PlantEditor;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** The user's version beside the one that someone else saved, or a note that the plant was deleted. */
export function Conflict({ editor, onEnd }: ConflictProps) {
  const { base, mine, theirs, problem, isBusy, leave, keepEditing, keepMine } = editor;
  const isTheirs = (field: Field) => theirs !== undefined && theirs.plant[field] !== base?.plant[field];
  const isMine = (field: Field) => theirs !== undefined && mine[field] !== theirs.plant[field];
  return (
    <Dialog key="overtaken" title={theirs ? texts.changedElsewhere : texts.gone} onClose={leave}>
      {theirs && <p>Which version do you want to keep?</p>}
      <div class={styles['versions']}>
        <Version
          title="Yours"
          plant={mine}
          other={theirs?.plant}
          note={(field) =>
            isMine(field) ? 'your change' : isTheirs(field) ? 'changed by someone else' : undefined
          }
        />
        {theirs && (
          <Version
            title="Theirs"
            plant={theirs.plant}
            other={mine}
            note={(field) => (isTheirs(field) ? 'their change' : undefined)}
          />
        )}
      </div>
      <Problem text={problem?.message} />
      <footer class="row">
        {theirs && <Button label="Keep editing" autoFocus onClick={keepEditing} />}
        <Button autoFocus={!theirs} onClick={() => onEnd(true)}>
          {theirs ? 'Keep theirs' : 'Discard changes'}
        </Button>
        <Button class="primary" isBusy={isBusy} onClick={keepMine}>
          {theirs ? 'Save mine' : 'Create again'}
        </Button>
      </footer>
    </Dialog>
  );
}

type Field = 'name' | 'tag';

interface VersionProps {
  readonly title: string;
  readonly plant: StoredPlant;
  readonly other: StoredPlant | undefined;
  readonly note: (field: Field) => string | undefined;
}

/** A version of a plant, with its differences from the other one marked. */
function Version({ title, plant, other, note }: VersionProps) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {(['name', 'tag'] as const).map((field) => (
          <Fragment key={field}>
            <dt>
              {texts[field]} {note(field) && <span class="tag">{note(field)}</span>}
            </dt>
            <dd>
              <MarkedText text={plant[field]} other={other?.[field]} field={field} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

interface MarkedTextProps {
  readonly text: string | undefined;
  readonly other: string | undefined;
  readonly field: Field;
}

/** Marks everything between the common first and last words. */
function MarkedText({ text, other = text, field }: MarkedTextProps) {
  if (text === undefined || other === undefined) return '–';
  if (text === '' || text === other)
    return <PlantText text={text} {...(field === 'tag' && { ifEmpty: EMPTY_TAG })} />;
  const [words, others] = [wordsOf(text), wordsOf(other)];
  const start = countCommon(words, others);
  const [rest, otherRest] = [words.slice(start), others.slice(start)];
  const end = words.length - countCommon(rest.toReversed(), otherRest.toReversed());
  const before = words.slice(0, start).join('');
  return (
    <bdi class="text">
      {before.length > 2 * BEFORE ? `… ${before.slice(-BEFORE)}` : before}
      <mark>{startOf(words.slice(start, end).join(''), SHOWN)}</mark>
      {startOf(words.slice(end).join(''), SHOWN)}
    </bdi>
  );
}

function countCommon(words: readonly string[], others: readonly string[]): number {
  const first = words.findIndex((word, index) => word !== others[index]);
  return first < 0 ? words.length : first;
}

/** Words of any script, and the characters between them. */
function wordsOf(text: string): string[] {
  return Array.from(
    new Intl.Segmenter('en', { granularity: 'word' }).segment(text),
    ({ segment }) => segment,
  );
}
