import { Fragment } from 'preact';
import { useTokens, whoIs } from '../../activity/activity-list.tsx';
import type { StoredPlant } from '../../service/plants.ts';
import { access } from '../../service/tokens.ts';
import { isolated, texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/field.tsx';
import { Dialog } from '../../ui/messages/dialog.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import { EMPTY_TAG, PlantText, startOf } from '../plant-text.tsx';
import styles from './change.module.css';
import type { PlantEditor } from './use-plant-editor.ts';

/** Maximum characters shown of a difference, and of the equal text before and after it. */
const SHOWN = 300;
const AROUND = 40;

/** Maximum differing words; beyond, the whole text counts as different. */
const MOST_EDITS = 500;

interface ConflictProps {
  readonly editor: PlantEditor;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** The user's version beside the one that someone else saved, or a note that the plant was deleted. */
export function Conflict({ editor, onEnd }: ConflictProps) {
  const { base, mine, theirs, latestBy, problem, isBusy, leave, keepEditing, keepMine } = editor;
  const tokens = useTokens();
  const who = nameOf(latestBy, tokens);
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
            isMine(field) ? 'your change' : isTheirs(field) ? `changed by ${who}` : undefined
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

function nameOf(by: string | undefined, tokens: ReturnType<typeof useTokens>): string {
  if (by === undefined) return 'someone else';
  return by === access.value?.id ? 'you' : isolated(whoIs(by, tokens));
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

/** Marks the words that the other version does not have. */
function MarkedText({ text, other = text, field }: MarkedTextProps) {
  const parts = useLoaded(async () => partsOf(text, other), [text, other]).value ?? [];
  if (text === undefined || other === undefined) return '–';
  if (text === '' || text === other)
    return <PlantText text={text} {...(field === 'tag' && { ifEmpty: EMPTY_TAG })} />;
  return (
    <bdi class="text">
      {parts
        .filter(({ removed }) => !removed)
        .map(({ added, value }) => (added ? <mark>{startOf(value, SHOWN)}</mark> : shortened(value)))}
    </bdi>
  );
}

async function partsOf(text = '', other = '') {
  // Conflicts are rare, and the page loads faster without it.
  const { diffWordsWithSpace } = await import('diff');
  // Finds the words of any script.
  const intlSegmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const whole = [{ value: text, added: true, removed: false }];
  return diffWordsWithSpace(other, text, { intlSegmenter, maxEditLength: MOST_EDITS }) ?? whole;
}

/** Equal text without its middle. */
function shortened(text: string): string {
  return text.length > 3 * AROUND ? `${startOf(text, AROUND)} ${text.slice(-AROUND)}` : text;
}
