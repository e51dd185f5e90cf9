import type { Repository } from 'typeorm';
import type { Writer } from '../database/group-commit.js';
import { isConflict } from '../database/store-unavailable.js';
import { unavailable } from '../errors/unavailable.js';
import { deletePlants } from './delete-plants.js';
import { entityTag } from './entity-tag.js';
import { insertPlants } from './insert-plants.js';
import type { Plant } from './plant.entity.js';
import type {
  CreateWrite,
  DeleteWrite,
  PatchWrite,
  PlantOutcome,
  PlantWrite,
  PutWrite,
} from './plant-write.js';
import { findPlants, type PlantRow } from './read-plants.js';
import { updatePlants } from './update-plants.js';

/** How often a statement is tried that other instances get in the way of. */
const ATTEMPTS = 5;

type Plants = Repository<Plant>;
type WriteOne = (plants: Plants, writes: readonly PlantWrite[]) => Promise<PlantOutcome[]>;

const WRITE = { create, put, patch, delete: remove };

/** Writes plants for a group commit: one statement for each kind of write. */
export function plantWriter(plants: Plants): Writer<PlantWrite, PlantOutcome> {
  return {
    kindOf: ({ kind }) => kind,
    keyOf: ({ id }) => id,
    sizeOf: (write) => (write.kind === 'delete' ? 0 : (write.name?.length ?? 0) + (write.tag?.length ?? 0)),
    write: (batch) => {
      // All of a batch are of one kind.
      const write = WRITE[batch[0]?.kind ?? 'create'] as WriteOne;
      return write(plants, batch);
    },
  };
}

async function create(plants: Plants, writes: readonly CreateWrite[]): Promise<PlantOutcome[]> {
  const created = await persistently(() => insertPlants(plants, writes));
  return created.map((isNew) => (isNew ? 'created' : 'taken'));
}

/** Inserts what is not there and updates the rest; what another instance deletes in between is tried again. */
async function put(plants: Plants, writes: readonly PutWrite[]): Promise<PlantOutcome[]> {
  const outcomes = new Map<PutWrite, PlantOutcome>();
  for (let attempt = 1; outcomes.size < writes.length && attempt <= ATTEMPTS; attempt += 1) {
    const open = writes.filter((write) => !outcomes.has(write));
    const free = open.filter(({ mustExist }) => !mustExist);
    const created = await persistently(() => insertPlants(plants, free));
    free.forEach((write, index) => created[index] && outcomes.set(write, 'created'));
    const rest = open.filter((write) => !outcomes.has(write));
    const updated = byId(await persistently(() => updatePlants(plants.manager, rest.map(replacement))));
    for (const write of rest) {
      if (updated.has(String(write.id))) outcomes.set(write, 'replaced');
      else if (write.mustExist) outcomes.set(write, 'mismatch');
    }
  }
  return settled(writes, outcomes);
}

function replacement({ id, name, tag, ifMatch }: PutWrite) {
  return { id, name, tag: tag ?? null, ifMatch };
}

async function patch(plants: Plants, writes: readonly PatchWrite[]): Promise<PlantOutcome[]> {
  return decide(plants, writes, async (open) => {
    const rows = byId(await persistently(() => updatePlants(plants.manager, open)));
    return ({ id }) => rows.get(String(id));
  });
}

async function remove(plants: Plants, writes: readonly DeleteWrite[]): Promise<PlantOutcome[]> {
  return decide(plants, writes, async (open) => {
    const deleted = await persistently(() => deletePlants(plants.manager, open));
    return ({ id }) => (deleted.has(String(id)) ? 'deleted' : undefined);
  });
}

/**
 * The outcome of each write; of one that did nothing, whether its plant is missing or not the one it allows. Where it is one
 * that it allows, another instance has put it there in between, and the write is tried again.
 */
async function decide<Write extends PatchWrite | DeleteWrite>(
  plants: Plants,
  writes: readonly Write[],
  apply: (open: readonly Write[]) => Promise<(write: Write) => PlantOutcome | undefined>,
): Promise<PlantOutcome[]> {
  const outcomes = new Map<Write, PlantOutcome>();
  for (let attempt = 1; outcomes.size < writes.length && attempt <= ATTEMPTS; attempt += 1) {
    const open = writes.filter((write) => !outcomes.has(write));
    const outcomeOf = await apply(open);
    const doubtful = open.filter((write) => write.ifMatch !== undefined && outcomeOf(write) === undefined);
    const ids = doubtful.map(({ id }) => id);
    const there = byId(await findPlants(plants.manager, ids));
    for (const write of open) {
      const outcome = outcomeOf(write) ?? whyNot(write, there.get(String(write.id)));
      if (outcome !== undefined) outcomes.set(write, outcome);
    }
  }
  return settled(writes, outcomes);
}

function whyNot(
  { ifMatch }: PatchWrite | DeleteWrite,
  there: PlantRow | undefined,
): PlantOutcome | undefined {
  if (ifMatch === undefined || there === undefined) return 'missing';
  return ifMatch.includes(entityTag(there)) ? undefined : 'mismatch';
}

function settled<Write extends PlantWrite>(
  writes: readonly Write[],
  outcomes: ReadonlyMap<Write, PlantOutcome>,
): PlantOutcome[] {
  return writes.map((write) => {
    const outcome = outcomes.get(write);
    if (outcome === undefined) throw unavailable('The plant was created and deleted too often meanwhile.');
    return outcome;
  });
}

function byId(rows: readonly PlantRow[]): ReadonlyMap<string, PlantRow> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** A statement that the database has undone, because another instance got in its way, has done nothing: it is tried again. */
async function persistently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}
