import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../service/connection.ts';
import {
  createPlant,
  patched,
  patchPlant,
  type PlantPatch,
  type PlantVersion,
  readPlant,
  type StoredPlant,
} from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Problem } from '../ui/form-dialog.tsx';
import { say } from '../ui/message.tsx';
import { PlantText, shortName } from './plant-text.tsx';

/** What has been typed. A member that nobody touched is absent, and stays exactly what it is. */
interface Draft {
  readonly id?: string;
  readonly name?: string;
  /** Empty for no tag. */
  readonly tag?: string;
}

type Problems = Partial<Record<'id' | 'name' | 'tag' | 'form', string>>;

interface EditPlantProps {
  /** The plant as the list shows it; undefined for a new one. */
  readonly plant?: StoredPlant;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** What was typed in forms that were left, by id, and over which version: it is there when they are opened again. */
const drafts = new Map<
  bigint | undefined,
  { readonly draft: Draft; readonly base: PlantVersion | undefined }
>();

/** Adds a plant or edits one. Who was overtaken by another edit sees both versions and chooses. */
export function EditPlant({ plant, onEnd }: EditPlantProps) {
  const key = plant?.id;
  const [kept, setKept] = useState(drafts.get(key));
  const [draft, setDraft] = useState<Draft>(kept?.draft ?? {});
  const [base, setBase] = useState(kept?.base);
  const [theirs, setTheirs] = useState<PlantVersion>();
  const [isGone, setIsGone] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const controller = useRef(new AbortController());
  const { signal } = controller.current;

  useEffect(() => () => controller.current.abort(), []);
  useEffect(() => {
    if (plant === undefined || base !== undefined) return;
    readPlant(plant.id, signal).then(
      (version) => (version === undefined ? setIsGone(true) : setBase(version)),
      (error: Error) => signal.aborted || setProblems({ form: error.message }),
    );
  }, [base]);

  const patch = patchOf(draft);
  const current = (theirs ?? base)?.plant ?? plant ?? { id: 0n, name: '' };
  const mine = patched(current, patch);
  const change = (part: Draft) => {
    const changed = { ...draft, ...part };
    setDraft(changed);
    setProblems({});
    drafts.set(key, { draft: changed, base });
  };
  const startAgain = () => {
    drafts.delete(key);
    setKept(undefined);
    setDraft({});
    setBase(undefined);
    setProblems({});
  };
  const end = (hasChanged: boolean, text?: string) => {
    drafts.delete(key);
    if (text !== undefined) say(text);
    onEnd(hasChanged);
  };
  /** Leaves by accident, or for a while: what was typed stays. What is under way may have been done. */
  const leave = () => onEnd(isBusy || isGone || theirs !== undefined);
  /** Does one thing at a time, and shows why it was refused. */
  const attempt = async (work: () => Promise<void>) => {
    if (isBusy) return;
    setIsBusy(true);
    setProblems({});
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) setProblems(problemsOf(error as Error));
    } finally {
      setIsBusy(false);
    }
  };
  const create = (created: StoredPlant) =>
    attempt(async () => {
      await createPlant(created, signal);
      end(true, texts.form.saved(shortName(created)));
    });
  const save = (version: PlantVersion) =>
    attempt(async () => {
      if (Object.keys(patch).length === 0) return end(false, texts.form.unchanged);
      try {
        await patchPlant(version, patch, signal);
        return end(true, texts.form.saved(shortName(mine)));
      } catch (error) {
        if (!(error instanceof Refusal) || (error.status !== 412 && error.status !== 404)) throw error;
        const now = await readPlant(version.plant.id, signal);
        if (now === undefined) setIsGone(true);
        else setTheirs(now);
      }
    });
  const submit = (event: Event) => {
    event.preventDefault();
    if (plant !== undefined) {
      if (base !== undefined) void save(base);
      return;
    }
    const id = parseId(draft.id ?? '');
    if (id === undefined) setProblems({ id: texts.form.badId });
    else void create({ ...mine, id });
  };

  if (isGone)
    return (
      <Dialog key="gone" title={texts.form.gone} onClose={leave}>
        <Versions columns={[[texts.conflict.yours, mine]]} />
        <Problem text={Object.values(problems)[0]} />
        <footer>
          <button type="button" onClick={() => end(true)}>
            {texts.form.discard}
          </button>
          <Button class="primary" isOff={isBusy} onClick={() => void create(mine)}>
            {texts.form.createAgain}
          </Button>
        </footer>
      </Dialog>
    );

  if (theirs !== undefined) {
    const columns: [string, StoredPlant][] = [
      [texts.conflict.yours, mine],
      [texts.conflict.theirs, theirs.plant],
    ];
    return (
      <Dialog key="conflict" title={texts.conflict.title} onClose={leave}>
        <p>{texts.conflict.intro}</p>
        <Versions columns={columns} />
        <Problem text={Object.values(problems)[0]} />
        <footer>
          <button
            type="button"
            onClick={() => {
              setBase(theirs);
              setTheirs(undefined);
              drafts.set(key, { draft, base: theirs });
            }}
          >
            {texts.conflict.edit}
          </button>
          <button type="button" onClick={() => end(true)}>
            {texts.conflict.keepTheirs}
          </button>
          <Button class="primary" isOff={isBusy} onClick={() => void save(theirs)}>
            {texts.conflict.keepYours}
          </Button>
        </footer>
      </Dialog>
    );
  }

  return (
    <Dialog
      key="form"
      title={plant === undefined ? texts.form.addTitle : texts.form.editTitle}
      onClose={leave}
    >
      <form onSubmit={submit}>
        {kept && (
          <div class="notice">
            <p>{texts.form.kept}</p>
            <button type="button" onClick={startAgain}>
              {texts.form.discard}
            </button>
          </div>
        )}
        <Field
          label={texts.plants.id}
          value={plant === undefined ? (draft.id ?? '') : String(plant.id)}
          {...(plant === undefined && { hint: texts.form.idHint })}
          problem={problems.id}
          isReadOnly={plant !== undefined}
          hasFocus={plant === undefined}
          onInput={(id) => change({ id })}
        >
          {plant === undefined && (
            <button type="button" onClick={() => change({ id: suggestedId() })}>
              {texts.form.suggest}
            </button>
          )}
        </Field>
        <Field
          label={texts.plants.name}
          kind="lines"
          value={draft.name ?? current.name}
          problem={problems.name}
          hasFocus={plant !== undefined}
          onInput={(name) => change({ name })}
        />
        <Field
          label={texts.plants.tag}
          kind="lines"
          value={draft.tag ?? current.tag ?? ''}
          hint={texts.form.tagHint}
          problem={problems.tag}
          onInput={(tag) => change({ tag })}
        />
        <Problem text={problems.form} />
        <footer>
          <button type="button" onClick={() => end(isBusy)}>
            {texts.cancel}
          </button>
          <Button type="submit" class="primary" isOff={isBusy || (plant !== undefined && base === undefined)}>
            {texts.form.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Versions of a plant, side by side. */
function Versions({
  columns,
}: {
  readonly columns: readonly (readonly [title: string, plant: StoredPlant])[];
}) {
  return (
    <div class="versions">
      {columns.map(([title, { name, tag }]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            <dt>{texts.plants.name}</dt>
            <dd>
              <PlantText text={name} ifEmpty={texts.plants.unnamed} />
            </dd>
            <dt>{texts.plants.tag}</dt>
            <dd>{tag === undefined ? '–' : <PlantText text={tag} ifEmpty={texts.plants.emptyTag} />}</dd>
          </dl>
        </section>
      ))}
    </div>
  );
}

/** What was typed, as a change; a tag that was emptied is none. */
function patchOf({ name, tag }: Draft): PlantPatch {
  return { ...(name !== undefined && { name }), ...(tag !== undefined && { tag: tag === '' ? null : tag }) };
}

/** Where a refusal belongs: the service names the field. */
function problemsOf(error: Error): Problems {
  if (error instanceof Refusal && error.status === 412) return { id: texts.form.taken };
  const field = (['id', 'name', 'tag'] as const).find((name) =>
    new RegExp(`\\b${name}\\b`).test(error.message),
  );
  return { [field ?? 'form']: error.message };
}

/** An int64, or undefined. */
function parseId(text: string): bigint | undefined {
  if (!/^\s*[-−]?\d{1,19}\s*$/.test(text)) return undefined;
  const id = BigInt(text.trim().replace('−', '-'));
  return BigInt.asIntN(64, id) === id ? id : undefined;
}

/** An id that hardly any other plant has, short enough for programs that round large ones. */
function suggestedId(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return String(((BigInt(high) << 32n) | BigInt(low)) >> 11n);
}
