import type { EntityManager } from 'typeorm';
import { ENTITY_TAG_SQL } from './entity-tag.js';
import type { IfMatch } from './plant-write.js';
import type { PlantRow } from './read-plants.js';

/** A change of one plant that is there. */
interface PlantChange {
  readonly id: bigint;
  /** undefined keeps the name. */
  readonly name?: string | undefined;
  /** undefined keeps the tag, null removes it. */
  readonly tag?: string | null | undefined;
  readonly ifMatch: IfMatch;
}

/**
 * One statement of constant text for any number of changes. It decides itself whether a plant is one that a change allows:
 * reading first would decide on what other instances may have changed since.
 */
const UPDATE = {
  sqlite: update(
    `(SELECT value ->> 0 AS id, value ->> 1 AS name, value ->> 2 AS tag, value ->> 3 AS keeps_tag, value ->> 4 AS if_match
      FROM json_each(?))`,
    `instr(change.if_match, ${ENTITY_TAG_SQL.sqlite}) > 0`,
  ),
  postgres: update(
    `(SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::text[])
        AS input (id, name, tag, keeps_tag, if_match) ORDER BY id)`,
    `strpos(change.if_match, ${ENTITY_TAG_SQL.postgres}) > 0`,
  ),
};

function update(changes: string, matches: string): string {
  return `
    UPDATE plants
    SET name = coalesce(change.name, plants.name),
        tag = CASE WHEN change.keeps_tag THEN plants.tag ELSE change.tag END
    FROM ${changes} AS change
    WHERE plants.id = change.id AND (change.if_match IS NULL OR ${matches})
    RETURNING CAST(plants.id AS TEXT) AS id, plants.name AS name, plants.tag AS tag`;
}

/** Changes plants, each at most once; returns those that were there and allowed, as they are now, in any order. */
export async function updatePlants(
  manager: EntityManager,
  changes: readonly PlantChange[],
): Promise<PlantRow[]> {
  if (changes.length === 0) return [];
  if (manager.dataSource.options.type === 'postgres') {
    const [rows] = await manager.query<[PlantRow[], number]>(UPDATE.postgres, [
      changes.map(({ id }) => String(id)),
      changes.map(({ name }) => name ?? null),
      changes.map(({ tag }) => tag ?? null),
      changes.map(({ tag }) => tag === undefined),
      changes.map(({ ifMatch }) => ifMatch?.join() ?? null),
    ]);
    return rows;
  }
  const rows = changes.map(
    ({ id, name, tag, ifMatch }) =>
      `[${id},${json(name)},${json(tag)},${tag === undefined ? 1 : 0},${json(ifMatch?.join())}]`,
  );
  return manager.query<PlantRow[]>(UPDATE.sqlite, [`[${rows.join()}]`]);
}

function json(text: string | null | undefined): string {
  return JSON.stringify(text ?? null);
}
