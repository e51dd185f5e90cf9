import type { Repository } from 'typeorm';
import type { Plant } from './plant.entity.js';

/**
 * One statement of constant text, prepared once, whatever the number of plants. It decides and writes, as a transaction
 * of its own. `save()` would read first, and overwrite the plant that has the id.
 *
 * On SQLite the plants come as one JSON text. Ids are read as text: a JavaScript number would round them.
 *
 * On PostgreSQL they come as one array for each column. They are inserted in the order of their ids, so that instances
 * that write the same ids at the same time wait for each other in one order and never for each other in a circle.
 */
const INSERT = {
  sqlite: `
    INSERT INTO plants (id, name, tag)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
    ON CONFLICT (id) DO NOTHING
    RETURNING CAST(id AS TEXT) AS id`,
  postgres: `
    INSERT INTO plants (id, name, tag)
    SELECT id, name, tag
    FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY AS batch (id, name, tag, position)
    ORDER BY id, position
    ON CONFLICT (id) DO NOTHING
    RETURNING id`,
};

/** A plant to insert. */
interface NewPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string | undefined;
}

/** Inserts plants whose ids are free; tells for each, in order, whether it was inserted. Of one id the first wins. */
export async function insertPlants(
  plants: Repository<Plant>,
  newPlants: readonly NewPlant[],
): Promise<boolean[]> {
  if (newPlants.length === 0) return [];
  const inserted =
    plants.manager.dataSource.options.type === 'postgres'
      ? await plants.query<{ id: string }[]>(INSERT.postgres, asColumns(newPlants))
      : await plants.query<{ id: string }[]>(INSERT.sqlite, [asJson(newPlants)]);
  if (inserted.length === newPlants.length) return newPlants.map(() => true);
  const free = new Set(inserted.map(({ id }) => id));
  return newPlants.map(({ id }) => free.delete(String(id)));
}

function asJson(plants: readonly NewPlant[]): string {
  const rows = plants.map(
    ({ id, name, tag = null }) => `[${id},${JSON.stringify(name)},${JSON.stringify(tag)}]`,
  );
  return `[${rows.join()}]`;
}

function asColumns(plants: readonly NewPlant[]): unknown[] {
  return [
    plants.map(({ id }) => String(id)),
    plants.map(({ name }) => name),
    plants.map(({ tag }) => tag ?? null),
  ];
}
