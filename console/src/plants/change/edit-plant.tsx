import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { writeJson } from '../../exact-json.ts';
import { may } from '../../service/tokens.ts';
import { feed } from '../../service/changes.ts';
import { Refusal } from '../../service/connection.ts';
import {
  createPlant,
  isSame,
  parseId,
  patched,
  patchPlant,
  type PlantPatch,
  type PlantVersion,
  readPlant,
  type StoredPlant,
} from '../../service/plants.ts';
import { session } from '../../service/session.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, Problem } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { say } from '../../ui/message.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useRescuedFocus } from '../../ui/rescued-focus.ts';
import { go } from '../../ui/route.ts';
import { shortName } from '../plant-text.tsx';
import { Versions } from './versions.tsx';

/** What has been typed. A member that nobody touched is absent, and stays exactly what it is. */
interface Draft {
  readonly id?: string;
  readonly name?: string;
  /** Empty for no tag. */
  readonly tag?: string;
}

type Problems = Partial<Record<'id' | 'name' | 'tag' | 'form', string>>;

/** Where an edit is. */
interface Editor {
  readonly draft: Draft;
  /** The version that the draft changes; undefined for a new plant, and until it is read. */
  readonly base: PlantVersion | undefined;
  /** What has overtaken the draft: another version, or a deletion. */
  readonly overtakenBy?: PlantVersion | 'deletion' | undefined;
  readonly problems: Problems;
  readonly isBusy: boolean;
  /** Whether the draft is from an earlier time. */
  readonly isOld: boolean;
}

function withChange(editor: Editor, change: Partial<Editor>): Editor {
  return { ...editor, ...change };
}

interface EditPlantProps {
  /** The plant as the list shows it; undefined for a new one. */
  readonly plant?: StoredPlant;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** What was typed in forms that were left, by id, and over which version: it is there when they are opened again. */
const drafts = new Map<bigint | undefined, Pick<Editor, 'draft' | 'base'>>();

addEventListener('beforeunload', (event) => {
  if (drafts.size > 0 && session.value) event.preventDefault();
});

/** Adds a plant or edits one. Who was overtaken by another edit sees both versions and chooses. */
export function EditPlant({ plant, onEnd }: EditPlantProps) {
  const key = plant?.id;
  const [{ draft, base, overtakenBy, problems, isBusy, isOld }, update] = useReducer(withChange, {
    draft: {},
    base: undefined,
    problems: {},
    isBusy: false,
    isOld: drafts.has(key),
    ...drafts.get(key),
  });
  const type = (typed: Draft) => update({ draft: { ...draft, ...typed }, problems: {} });
  const controller = useRef(new AbortController());
  const { signal } = controller.current;
  const reading = useRef<Promise<PlantVersion | undefined>>(undefined);
  const isReadOnly = !may('plants:write');

  useEffect(() => () => controller.current.abort(), []);
  useEffect(() => {
    if (plant === undefined || base !== undefined) return;
    reading.current = readPlant(plant.id, signal);
    reading.current.then(
      (version) => update(version ? { base: version } : { overtakenBy: 'deletion' }),
      (error: Error) => {
        reading.current = undefined;
        if (!signal.aborted) update({ problems: { form: error.message } });
      },
    );
  }, [base]);
  useLayoutEffect(() => {
    if (Object.keys(draft).length > 0) drafts.set(key, { draft, base });
  }, [draft, base]);

  const opened = useRef(feed.peek()?.changes.at(-1)?.cursor ?? 0n);
  const latest = feed.value?.changes.findLast(
    ({ cursor, plant: { id } }) => cursor > opened.current && id === key,
  );
  const isDeleted = latest?.kind === 'deleted';
  const isOutdated = latest && base && !isBusy && (isDeleted || !isSame(latest.plant, base.plant));
  const outdatedNotice = useRescuedFocus<HTMLDivElement>([isOutdated]);

  const patch = patchOf(draft);
  const theirs = typeof overtakenBy === 'object' ? overtakenBy : undefined;
  const current = (theirs ?? base)?.plant ?? plant ?? { id: 0n, name: '' };
  const mine = patched(current, patch);
  const end = (hasChanged: boolean) => {
    drafts.delete(key);
    onEnd(hasChanged);
  };
  /** Leaves by accident, or for a while: what was typed stays. What is under way may have been done. */
  const leave = () => onEnd(isBusy || overtakenBy !== undefined);
  /** Does one thing at a time, and shows why it was refused. */
  const attempt = async (work: () => Promise<void>) => {
    if (isBusy) return;
    update({ isBusy: true, problems: {} });
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) update({ problems: problemsOf(error as Error) });
    } finally {
      update({ isBusy: false });
    }
  };
  const create = (created: StoredPlant) =>
    attempt(async () => {
      await createPlant(created, signal);
      const show = () => go('plants', { search: String(created.id) });
      say(texts.form.saved(shortName(created)), { label: texts.show, run: show });
      end(true);
    });
  /** Saves over a version, or over the one that is being read. */
  const save = ({ id }: StoredPlant, seen: PlantVersion | undefined) =>
    attempt(async () => {
      if (Object.keys(patch).length === 0) {
        say(texts.form.unchanged);
        return end(false);
      }
      const version = seen ?? (await (reading.current ?? readPlant(id, signal)));
      if (version === undefined) return update({ overtakenBy: 'deletion' });
      try {
        await patchPlant(version, patch, signal);
      } catch (error) {
        if (!(error instanceof Refusal) || (error.status !== 412 && error.status !== 404)) throw error;
        return update({ overtakenBy: (await readPlant(id, signal)) ?? 'deletion' });
      }
      say(texts.form.saved(shortName(patched(version.plant, patch))));
      return end(true);
    });
  /** Takes in what someone else has changed, or leaves it to the user where he has typed. */
  const takeIn = () =>
    attempt(async () => {
      const version = await readPlant(current.id, signal);
      const isUntouched = version && Object.keys(patch).length === 0;
      update(isUntouched ? { base: version } : { overtakenBy: version ?? 'deletion' });
    });
  const submit = (event: Event) => {
    event.preventDefault();
    if (isReadOnly) return;
    const id = parseId(draft.id ?? '');
    if (plant !== undefined) void save(plant, base);
    else if (id === undefined) update({ problems: { id: texts.form.badId } });
    else void create({ ...mine, id });
  };

  if (overtakenBy !== undefined)
    return (
      <Dialog key="overtaken" title={theirs ? texts.conflict.title : texts.form.gone} onClose={leave}>
        {theirs && <p>{texts.conflict.intro}</p>}
        <Versions
          columns={[
            [texts.conflict.yours, mine],
            ...(theirs ? [[texts.conflict.theirs, theirs.plant] as const] : []),
          ]}
        />
        <Problem text={Object.values(problems)[0]} />
        <footer>
          {theirs && (
            <button type="button" onClick={() => update({ base: theirs, overtakenBy: undefined })}>
              {texts.conflict.edit}
            </button>
          )}
          <button type="button" onClick={() => end(true)}>
            {theirs ? texts.conflict.keepTheirs : texts.form.discard}
          </button>
          <Button
            class="primary"
            isBusy={isBusy}
            onClick={() => void (theirs ? save(theirs.plant, theirs) : create(mine))}
          >
            {theirs ? texts.conflict.keepYours : texts.form.createAgain}
          </Button>
        </footer>
      </Dialog>
    );

  const { id: _id, name, tag, ...unknown } = current;
  return (
    <Dialog
      key="form"
      title={
        plant === undefined ? texts.form.addTitle : isReadOnly ? texts.form.openTitle : texts.form.editTitle
      }
      onClose={leave}
    >
      <form onSubmit={submit} aria-busy={plant !== undefined && base === undefined}>
        {isOld && (
          <Notice
            action={texts.form.discard}
            onAction={() => {
              drafts.delete(key);
              update({ draft: {}, base: undefined, problems: {}, isOld: false });
            }}
          >
            {texts.form.kept}
          </Notice>
        )}
        <div role="status" tabIndex={-1} ref={outdatedNotice}>
          {isOutdated && (
            <Notice action={texts.show} onAction={() => void takeIn()}>
              {isDeleted ? texts.form.gone : texts.conflict.title}
            </Notice>
          )}
        </div>
        <Field
          label={texts.plants.id}
          value={plant === undefined ? (draft.id ?? '') : String(plant.id)}
          {...(plant === undefined && { hint: texts.form.idHint })}
          problem={problems.id}
          isReadOnly={plant !== undefined}
          hasFocus={plant === undefined}
          onInput={(id) => type({ id })}
        >
          {plant === undefined && (
            <button type="button" onClick={() => type({ id: suggestedId() })}>
              {texts.form.suggest}
            </button>
          )}
        </Field>
        <Field
          label={texts.plants.name}
          kind="lines"
          value={draft.name ?? name}
          problem={problems.name}
          isReadOnly={isReadOnly}
          hasFocus={plant !== undefined}
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
        <footer>
          <button type="button" onClick={() => end(isBusy)}>
            {isReadOnly ? texts.close : texts.cancel}
          </button>
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

/** A field that the console does not know. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** What was typed, as a change; a tag that was emptied is none. */
function patchOf({ name, tag }: Draft): PlantPatch {
  return { ...(name !== undefined && { name }), ...(tag !== undefined && { tag: tag === '' ? null : tag }) };
}

/** Where a refusal belongs. */
function problemsOf(error: Error): Problems {
  if (!(error instanceof Refusal)) return { form: error.message };
  if (error.status === 412) return { id: texts.form.taken };
  const field = (['id', 'name', 'tag'] as const).find((name) => name === error.field);
  return { [field ?? 'form']: error.message };
}

/** An id that hardly any other plant has, short enough for programs that round large ones. */
function suggestedId(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return String(((BigInt(high) << 32n) | BigInt(low)) >> 11n);
}
