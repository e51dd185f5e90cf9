import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { may } from '../../service/tokens.ts';
import { feed } from '../../service/changes.ts';
import { Refusal } from '../../service/connection.ts';
import {
  createPlant,
  isSame,
  nextFreeId,
  parseId,
  patched,
  patchPlant,
  type PlantPatch,
  type PlantVersion,
  readPlant,
  type StoredPlant,
} from '../../service/plants.ts';
import { plantCount, texts } from '../../texts.ts';
import { toast } from '../../ui/messages/message.tsx';
import { command, type Draft, type Edit } from '../commands.ts';
import { shortName } from '../plant-text.tsx';

const BAD_ID = 'The ID must be a whole number from −9223372036854775808 to 9223372036854775807.';

const NO_NAME = 'The plant has no name. Save again to add it without one.';

const countAdded = (count: number) => `Added ${plantCount(count)}`;

interface Editor extends Required<Pick<Edit, 'draft'>>, Pick<Edit, 'base'> {
  /** The newer version or deletion that conflicts with the draft. */
  readonly overtakenBy?: PlantVersion | 'deletion' | undefined;
  /** The error, and the field that caused it. */
  readonly problem?: { readonly field?: string | undefined; readonly message: string } | undefined;
  readonly isBusy: boolean;
}

/** The state of the form for a new or existing plant. */
export function usePlantEditor(
  { plant, ...opened }: Edit,
  onAdd: (plant: StoredPlant) => void,
  onClose: (hasChanged: boolean) => void,
) {
  const [editor, update] = useReducer(
    (before: Editor, change: Partial<Editor>): Editor => ({ ...before, ...change }),
    { draft: {}, base: undefined, isBusy: false, ...opened },
  );
  const { draft, base, overtakenBy, isBusy } = editor;
  const controller = useRef(new AbortController());
  const { signal } = controller.current;
  const reading = useRef<Promise<PlantVersion | undefined>>(undefined);
  const isDirty = Object.keys(draft).length > 0;
  const hasEnded = useRef(false);
  const onEnd = (hasChanged: boolean) => {
    hasEnded.current = true;
    onClose(hasChanged);
  };
  /** Says that the input is gone, with an undo. */
  const discard = () => {
    const run = () => command((list) => list.open({ plant, draft, base }));
    if (isDirty) toast('Changes discarded', { label: texts.undo, run });
  };
  const leaving = useRef(discard);
  leaving.current = discard;
  useEffect(
    () => () => {
      controller.current.abort();
      // The user has gone back.
      if (!hasEnded.current) leaving.current();
    },
    [],
  );
  useEffect(() => {
    if (plant === undefined || base !== undefined) return;
    reading.current = readPlant(plant.id, signal);
    reading.current.then(
      (version) => update(version ? { base: version } : { overtakenBy: 'deletion' }),
      (error: Error) => {
        reading.current = undefined;
        if (!signal.aborted) update({ problem: { message: error.message } });
      },
    );
  }, [base]);
  // A layout effect: the page may be closed right after a key.
  useLayoutEffect(() => {
    const ask = (event: Event) => event.preventDefault();
    if (isDirty) addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDirty]);

  const start = useRef(feed.peek()?.changes.at(-1)?.cursor ?? 0n);
  const latest = feed.value?.changes.findLast(
    ({ cursor, plant: { id } }) => cursor > start.current && id === plant?.id,
  );
  const isDeleted = latest?.kind === 'deleted';
  const patch = patchOf(draft);
  const theirs = typeof overtakenBy === 'object' ? overtakenBy : undefined;
  const current = (theirs ?? base)?.plant ?? plant ?? { id: 0n, name: '' };
  const mine = patched(current, patch);

  const attempt = async (work: () => Promise<void>) => {
    if (isBusy) return;
    update({ isBusy: true, problem: undefined });
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) update({ problem: problemOf(error as Error) });
    } finally {
      update({ isBusy: false });
    }
  };
  const create = (id: bigint | undefined, another: boolean) =>
    attempt(async () => {
      const added = await createPlant({ ...mine, id: id ?? (await nextFreeId(signal)) }, signal);
      toast(texts.saved(shortName(added)), undefined, countAdded);
      onAdd(added);
      // Plants that are added together often share a tag.
      if (another) update({ draft: draft.tag ? { tag: draft.tag } : {} });
      else onEnd(true);
    });
  /** Saves over the given version, or the one being read. */
  const save = ({ id }: StoredPlant, seen: PlantVersion | undefined) =>
    attempt(async () => {
      if (Object.keys(patch).length === 0) {
        toast('No changes to save');
        return onEnd(false);
      }
      const version = seen ?? (await (reading.current ?? readPlant(id, signal)));
      if (version === undefined) return update({ overtakenBy: 'deletion' });
      try {
        await patchPlant(version, patch, signal);
      } catch (error) {
        if (!(error instanceof Refusal) || (error.status !== 412 && error.status !== 404)) throw error;
        return update({ overtakenBy: (await readPlant(id, signal)) ?? 'deletion' });
      }
      toast(texts.saved(shortName(patched(version.plant, patch))));
      return onEnd(true);
    });
  return {
    ...editor,
    current,
    mine,
    theirs,
    isDeleted,
    /** Who has made the latest change, as far as the page has seen it. */
    latestBy: latest?.by,
    isOutdated: latest && base && !isBusy && (isDeleted || !isSame(latest.plant, base.plant)),
    type: (typed: Draft) => update({ draft: { ...draft, ...typed }, problem: undefined }),
    submit: (another: boolean) => {
      if (!may('plants:write')) return;
      const id = parseId(draft.id ?? '');
      const isNameless = !draft.name?.trim() && editor.problem?.message !== NO_NAME;
      if (plant !== undefined) void save(plant, base);
      else if (draft.id?.trim() && id === undefined) update({ problem: { field: 'id', message: BAD_ID } });
      else if (isNameless) update({ problem: { field: 'name', message: NO_NAME } });
      else void create(id, another);
    },
    /** Shows the new version; a conflict if the user has typed. */
    takeIn: () =>
      void attempt(async () => {
        const version = await readPlant(current.id, signal);
        const isUntouched = version && Object.keys(patch).length === 0;
        update(isUntouched ? { base: version } : { overtakenBy: version ?? 'deletion' });
      }),
    keepEditing: () => update({ base: theirs, overtakenBy: undefined }),
    keepMine: () => void (theirs ? save(theirs.plant, theirs) : create(mine.id, false)),
    end: onEnd,
    /** Discards the input. A pending request may still take effect. */
    leave: () => {
      discard();
      onEnd(isBusy || overtakenBy !== undefined);
    },
  };
}

export type PlantEditor = ReturnType<typeof usePlantEditor>;

/** The draft as a patch; an empty tag removes it. */
function patchOf({ name, tag }: Draft): PlantPatch {
  return { ...(name !== undefined && { name }), ...(tag !== undefined && { tag: tag === '' ? null : tag }) };
}

function problemOf(error: Error): Editor['problem'] {
  if (!(error instanceof Refusal)) return error;
  if (error.status === 412) return { field: 'id', message: 'Another plant has this ID.' };
  return { field: ['id', 'name', 'tag'].find((name) => name === error.field), message: error.message };
}
