import type { EntityManager } from 'typeorm';
import { INT64_MAX } from '../validation/is-int64.js';
import { INDEXED, PlantQuery } from './plant-query.js';
import type { PlantRow } from './read-plants.js';

/** What plants have to be like. */
export interface PlantFilter {
  readonly tag?: string | undefined;
  /** What the name begins with. */
  readonly name?: string | undefined;
}

/** A row that a statement has come to. */
interface FoundRow {
  readonly id: string;
  /** null when the texts are large: a statement brings many rows, but not many of those. */
  readonly name: string | null;
  readonly tag: string | null;
  /** 1 when the plant is as the filter wants it, or too large to tell, 0 when the row only tells how far the statement has looked. */
  readonly matches: number;
  /** 1 when the statement has looked no further, though there may be more. */
  readonly isLast: number;
}

/** Whether a row has its texts. */
export function isWhole(row: FoundRow): row is FoundRow & PlantRow {
  return row.name !== null;
}

/** Finds so many of the next rows, from an id on. */
type FindNext = (least: bigint, wanted: number) => Promise<FoundRow[]>;

/** Bytes of texts that a row has at most if it comes with them. */
const WHOLE_BYTES = 32_768;

const IS_WHOLE = `octet_length(name) + coalesce(octet_length(tag), 0) <= ${WHOLE_BYTES}`;
const COLUMNS = `CAST(id AS TEXT) AS id, CASE WHEN ${IS_WHOLE} THEN name END AS name, CASE WHEN ${IS_WHOLE} THEN tag END AS tag`;

/** Plants that one statement looks through: so few that PostgreSQL prefers an index to the whole table. */
const WINDOW_ROWS = 1000;

/** Plants that a name leads to at most; of more, so many are among the next ids that those are looked through instead. */
const RARE = 1000;

/** Chooses the way to the plants on which the fewest others have to be looked at. */
export async function nextPlants(manager: EntityManager, { tag, name = '' }: PlantFilter): Promise<FindNext> {
  const isWholeKey = tag === undefined || Array.from(tag).length < INDEXED;
  if (name === '' && isWholeKey) return inOrder(manager, tag);
  return name !== '' && (await isRare(manager, name))
    ? byName(manager, name, tag)
    : byLooking(manager, name, tag);
}

/** Databases would guess: SQLite keeps no statistics, and PostgreSQL may keep a plan that was made for another name. */
async function isRare(manager: EntityManager, name: string): Promise<boolean> {
  const query = new PlantQuery(manager);
  const [{ found } = { found: 0 }] = await query.run<{ found: number }>(`
    SELECT CAST(count(*) AS INTEGER) AS found
    FROM (SELECT 1 FROM plants WHERE ${query.nameKeyBegins(name)}
          ORDER BY ${query.nameKey}, plants.id LIMIT ${RARE + 1}) AS named`);
  return found <= RARE;
}

/** An index has just the plants that are wanted, in the order in which they are. */
function inOrder(manager: EntityManager, tag: string | undefined): FindNext {
  return async (least, wanted) => {
    const query = new PlantQuery(manager);
    return query.run(`
      SELECT ${COLUMNS}, 1 AS matches, 0 AS "isLast"
      FROM plants WHERE ${query.idsInOrder(least, tag)} LIMIT ${query.value(wanted)}`);
  };
}

/**
 * Whether a row is as the filter wants it, or so large that it has to be looked at by itself: comparing the texts of a thousand
 * large plants would keep the database busy for a second.
 */
function mayMatch(query: PlantQuery, name: string, tag: string | undefined): string {
  return `(NOT (${IS_WHOLE}) OR (${query.matches(name, tag)}))`;
}

/** Sorts what the name leads to. The sums keep databases from going by id. */
function byName(manager: EntityManager, name: string, tag: string | undefined): FindNext {
  return async (least, wanted) => {
    const query = new PlantQuery(manager);
    return query.run(`
      SELECT ${COLUMNS}, 1 AS matches, 0 AS "isLast"
      FROM plants
      WHERE ${query.nameKeyBegins(name)} AND ${mayMatch(query, name, tag)} AND id + 0 >= ${query.integer(least)}
      ORDER BY plants.id + 0 LIMIT ${query.value(wanted)}`);
  };
}

/** Looks through the next plants, or the next with the tag, and comes with the last of them if there may be more. */
function byLooking(manager: EntityManager, name: string, tag: string | undefined): FindNext {
  return async (least, wanted) => {
    const query = new PlantQuery(manager);
    const last = '(SELECT id FROM last)';
    return query.run(`
      WITH last AS MATERIALIZED (
        SELECT id FROM plants WHERE ${query.idsInOrder(least, tag)} LIMIT 1 OFFSET ${WINDOW_ROWS - 1})
      SELECT ${COLUMNS},
             CASE WHEN ${mayMatch(query, name, tag)} THEN 1 ELSE 0 END AS matches,
             CASE WHEN id = ${last} THEN 1 ELSE 0 END AS "isLast"
      FROM plants
      WHERE (${mayMatch(query, name, tag)} OR id = ${last})
        AND ${query.idsInOrder(least, tag, `coalesce(${last}, ${INT64_MAX})`)} LIMIT ${query.value(wanted)}`);
  };
}
