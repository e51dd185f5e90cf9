import type { EntityManager } from 'typeorm';
import { ENTITY_TAG_SQL } from './entity-tag.js';
import type { DeleteWrite } from './plant-write.js';

/** One statement of constant text, which decides itself whether a plant is one that may be deleted. */
const DELETE = {
  sqlite: `
    DELETE FROM plants WHERE id IN (
      SELECT plants.id FROM json_each(?) AS target JOIN plants ON plants.id = target.value ->> 0
      WHERE target.value ->> 1 IS NULL OR instr(target.value ->> 1, ${ENTITY_TAG_SQL.sqlite}) > 0)
    RETURNING CAST(id AS TEXT) AS id`,
  postgres: `
    DELETE FROM plants
    USING (SELECT * FROM unnest($1::bigint[], $2::text[]) AS input (id, if_match) ORDER BY id) AS target
    WHERE plants.id = target.id
      AND (target.if_match IS NULL OR strpos(target.if_match, ${ENTITY_TAG_SQL.postgres}) > 0)
    RETURNING CAST(plants.id AS TEXT) AS id`,
};

/** Deletes plants, each named at most once; returns the ids of those that were there and allowed. */
export async function deletePlants(
  manager: EntityManager,
  targets: readonly DeleteWrite[],
): Promise<ReadonlySet<string>> {
  let deleted: { id: string }[];
  if (manager.dataSource.options.type === 'postgres') {
    [deleted] = await manager.query<[{ id: string }[], number]>(DELETE.postgres, [
      targets.map(({ id }) => String(id)),
      targets.map(({ ifMatch }) => ifMatch?.join() ?? null),
    ]);
  } else {
    const rows = targets.map(({ id, ifMatch }) => `[${id},${JSON.stringify(ifMatch?.join() ?? null)}]`);
    deleted = await manager.query<{ id: string }[]>(DELETE.sqlite, [`[${rows.join()}]`]);
  }
  return new Set(deleted.map(({ id }) => id));
}
