import { useEffect, useState } from 'preact/hooks';
import { Refusal } from '../service/connection.ts';
import {
  createPlant,
  patchPlant,
  type PlantVersion,
  readPlant,
  type StoredPlant,
} from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { say } from '../ui/message.tsx';
import { PlantText } from './plant-text.tsx';
import { shortName } from './plant-table.tsx';

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

/** What was typed in forms that were closed, by id: it is there when they are opened again. */
const drafts = new Map<bigint | undefined, Draft>();

/** Adds a plant or edits one. Who was overtaken by another edit sees both versions and chooses. */
export function EditPlant({ plant, onEnd }: EditPlantProps) {
  const [draft, setDraft] = useState<Draft>(drafts.get(plant?.id) ?? {});
  const [base, setBase] = useState<PlantVersion>();
  const [theirs, setTheirs] = useState<PlantVersion>();
  const [isGone, setIsGone] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const key = plant?.id;

  useEffect(() => {
    if (plant === undefined) return undefined;
    const controller = new AbortController();
    readPlant(plant.id, controller.signal).then(
      (version) => (version === undefined ? setIsGone(true) : setBase(version)),
      (error: Error) => controller.signal.aborted || setProblems({ form: error.message }),
    );
    return () => controller.abort();
  }, [plant]);

  const current = base?.plant ?? plant;
  const mine: StoredPlant = {
    id: plant?.id ?? 0n,
    name: draft.name ?? current?.name ?? '',
    ...tagOf(draft.tag ?? current?.tag, draft.tag !== undefined),
  };
  const change = (part: Draft) => {
    setDraft({ ...draft, ...part });
    setProblems({});
    drafts.set(key, { ...draft, ...part });
  };
  const end = (hasChanged: boolean, text?: string) => {
    if (text !== undefined) {
      drafts.delete(key);
      say(text);
    }
    onEnd(hasChanged);
  };
  /** Does one thing at a time, and shows why it was refused. */
  const attempt = async (work: () => Promise<void>) => {
    if (isBusy) return;
    setIsBusy(true);
    setProblems({});
    try {
      await work();
    } catch (error) {
      setProblems(problemsOf(error as Error));
    } finally {
      setIsBusy(false);
    }
  };
  const create = (created: StoredPlant) =>
    attempt(async () => {
      await createPlant(created);
      end(true, texts.form.saved(shortName(created)));
    });
  const save = (version: PlantVersion) =>
    attempt(async () => {
      const { name, tag } = draft;
      if (name === undefined && tag === undefined) return end(false, texts.form.unchanged);
      try {
        await patchPlant(
          version.plant.id,
          { ...(name !== undefined && { name }), ...(tag !== undefined && { tag: tag === '' ? null : tag }) },
          version.entityTag,
        );
        return end(true, texts.form.saved(shortName(mine)));
      } catch (error) {
        if (!(error instanceof Refusal) || (error.status !== 412 && error.status !== 404)) throw error;
        const now = await readPlant(version.plant.id);
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
      <Dialog title={texts.form.gone} onClose={() => onEnd(true)}>
        <Versions columns={[[texts.conflict.yours, mine]]} />
        <Problem text={problems.id ?? problems.form} />
        <footer>
          <button type="button" onClick={() => end(true, texts.form.gone)}>
            {texts.form.discard}
          </button>
          <button type="button" class="primary" disabled={isBusy} onClick={() => void create(mine)}>
            {texts.form.createAgain}
          </button>
        </footer>
      </Dialog>
    );

  if (theirs !== undefined) {
    const columns: [string, StoredPlant][] = [
      [texts.conflict.yours, mine],
      [texts.conflict.theirs, theirs.plant],
    ];
    return (
      <Dialog key="conflict" title={texts.conflict.title} onClose={() => onEnd(true)}>
        <p>{texts.conflict.intro}</p>
        <Versions columns={columns} />
        <Problem text={problems.form} />
        <footer>
          <button
            type="button"
            onClick={() => {
              setBase(theirs);
              setTheirs(undefined);
            }}
          >
            {texts.conflict.edit}
          </button>
          <button type="button" onClick={() => end(true, texts.form.unchanged)}>
            {texts.conflict.keepTheirs}
          </button>
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            onClick={() => {
              setBase(theirs);
              setTheirs(undefined);
              void save(theirs);
            }}
          >
            {texts.conflict.keepYours}
          </button>
        </footer>
      </Dialog>
    );
  }

  return (
    <Dialog
      key="form"
      title={plant === undefined ? texts.form.addTitle : texts.form.editTitle}
      onClose={() => onEnd(false)}
    >
      <form onSubmit={submit}>
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
          value={mine.name}
          problem={problems.name}
          hasFocus={plant !== undefined}
          onInput={(name) => change({ name })}
        />
        <Field
          label={texts.plants.tag}
          kind="lines"
          value={mine.tag ?? ''}
          hint={texts.form.tagHint}
          problem={problems.tag}
          onInput={(tag) => change({ tag })}
        />
        <Problem text={problems.form} />
        <footer>
          <button type="button" onClick={() => onEnd(false)}>
            {texts.cancel}
          </button>
          <button
            type="submit"
            class="primary"
            disabled={isBusy || (plant !== undefined && base === undefined)}
          >
            {texts.form.save}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Problem({ text }: { readonly text: string | undefined }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
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

/** A tag that was typed and is empty is none; one that nobody touched may be. */
function tagOf(tag: string | undefined, isTyped: boolean): Pick<StoredPlant, 'tag'> {
  return tag === undefined || (isTyped && tag === '') ? {} : { tag };
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
