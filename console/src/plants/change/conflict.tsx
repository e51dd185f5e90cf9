import { Fragment } from 'preact';
import type { StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, Problem } from '../../ui/messages/dialog.tsx';
import { PlantText, startOf } from '../plant-text.tsx';
import styles from './conflict.module.css';
import type { PlantEditor } from './use-plant-editor.ts';

/** Characters of each part of a text that are shown: before the difference, from a little before it. */
const SHOWN = 300;
const BEFORE = 40;

interface ConflictProps {
  readonly editor: PlantEditor;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** What the user has typed beside what someone else has saved, or has deleted, in the meantime. */
export function Conflict({ editor, onEnd }: ConflictProps) {
  const { base, mine, theirs, problems, isBusy, leave, keepEditing, keepMine } = editor;
  const { title, intro, yours, theirs: theirTitle, notes } = texts.conflict;
  const isTheirs = (field: Field) => theirs !== undefined && theirs.plant[field] !== base?.plant[field];
  const isMine = (field: Field) => theirs !== undefined && mine[field] !== theirs.plant[field];
  return (
    <Dialog key="overtaken" title={theirs ? title : texts.form.gone} onClose={leave}>
      {theirs && <p>{intro}</p>}
      <div class={styles['versions']}>
        <Version
          title={yours}
          plant={mine}
          other={theirs?.plant}
          note={(field) => (isMine(field) ? notes.mine : isTheirs(field) ? notes.merged : '')}
        />
        {theirs && (
          <Version
            title={theirTitle}
            plant={theirs.plant}
            other={mine}
            note={(field) => (isTheirs(field) ? notes.theirs : '')}
          />
        )}
      </div>
      <Problem text={Object.values(problems)[0]} />
      <footer>
        {theirs && (
          <button type="button" autoFocus onClick={keepEditing}>
            {texts.conflict.edit}
          </button>
        )}
        <button type="button" autoFocus={!theirs} onClick={() => onEnd(true)}>
          {theirs ? texts.conflict.keepTheirs : texts.form.discard}
        </button>
        <Button class="primary" isBusy={isBusy} onClick={keepMine}>
          {theirs ? texts.conflict.keepYours : texts.form.createAgain}
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
  /** Whose change a field is. */
  readonly note: (field: Field) => string;
}

/** A version of a plant. Words that the other one does not have are marked. */
function Version({ title, plant, other, note }: VersionProps) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {(['name', 'tag'] as const).map((field) => (
          <Fragment key={field}>
            <dt>
              {texts.plants[field]} {note(field) && <span class="tag">{note(field)}</span>}
            </dt>
            <dd>
              {plant[field] === undefined ? (
                '–'
              ) : (
                <MarkedText
                  text={plant[field]}
                  other={other?.[field]}
                  ifEmpty={field === 'name' ? texts.plants.unnamed : texts.plants.emptyTag}
                />
              )}
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

interface MarkedTextProps {
  readonly text: string;
  readonly other: string | undefined;
  readonly ifEmpty: string;
}

/** A text in which all is marked that is between the words with which both begin and those with which both end. */
function MarkedText({ text, other = text, ifEmpty }: MarkedTextProps) {
  if (text === '' || text === other) return <PlantText text={text} ifEmpty={ifEmpty} />;
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

/** With how many words two texts begin alike. */
function countCommon(words: readonly string[], others: readonly string[]): number {
  const first = words.findIndex((word, index) => word !== others[index]);
  return first < 0 ? words.length : first;
}

/** The words of a text in any script, and what is between them. */
function wordsOf(text: string): string[] {
  return Array.from(
    new Intl.Segmenter('en', { granularity: 'word' }).segment(text),
    ({ segment }) => segment,
  );
}
