import { Fragment } from 'preact';
import type { StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, Problem } from '../../ui/dialog.tsx';
import { PlantText, startOf } from '../plant-text.tsx';
import styles from './conflict.module.css';
import type { PlantEditor } from './use-plant-editor.ts';

/** Characters of a text that are shown, from a little before the first difference. */
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

function MarkedText({ text, other = text, ifEmpty }: MarkedTextProps) {
  if (text === '' || text === other) return <PlantText text={text} ifEmpty={ifEmpty} />;
  let common = 0;
  while (text[common] === other[common]) common += 1;
  const start = common > 2 * BEFORE ? common - BEFORE : 0;
  const shown = (whole: string) => startOf(whole.slice(start), SHOWN);
  return (
    <bdi class="text">
      {start > 0 && '… '}
      {marked(shown(text), shown(other)).map(([word, isOwn], index) =>
        isOwn ? <mark key={index}>{word}</mark> : word,
      )}
    </bdi>
  );
}

/** The words of a text, each with whether it is missing in the longest sequence of words that both texts have. */
function marked(text: string, otherText: string): [word: string, isOwn: boolean][] {
  const words = wordsOf(text);
  const others = wordsOf(otherText);
  const counts: number[][] = [];
  // How many words the two have in common, from a place in each on.
  const count = (place: number, other: number) => counts[place]?.[other] ?? 0;
  for (let place = words.length - 1; place >= 0; place -= 1) {
    const row: number[] = [];
    counts[place] = row;
    for (let other = others.length - 1; other >= 0; other -= 1)
      row[other] =
        words[place] === others[other]
          ? count(place + 1, other + 1) + 1
          : Math.max(count(place + 1, other), count(place, other + 1));
  }
  let next = 0;
  return words.map((word, place) => {
    while (next < others.length && word !== others[next] && count(place, next + 1) >= count(place + 1, next))
      next += 1;
    const isOwn = word !== others[next];
    if (!isOwn) next += 1;
    return [word, isOwn];
  });
}

/** The words of a text in any script, and what is between them. */
function wordsOf(text: string): string[] {
  return Array.from(
    new Intl.Segmenter('en', { granularity: 'word' }).segment(text),
    ({ segment }) => segment,
  );
}
