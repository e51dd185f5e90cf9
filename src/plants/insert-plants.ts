import type { Repository } from 'typeorm';
import type { NewPlantDto } from './dto/new-plant.dto.js';
import type { Plant } from './plant.entity.js';

/**
 * One statement of constant text, prepared once, whatever the number of plants: they come as one JSON text. It decides
 * and writes, as a transaction of its own. `save()` would read first, and overwrite the plant that has the id.
 *
 * Ids are read as text: a JavaScript number would round them.
 */
const INSERT = `
  INSERT INTO plants (id, name, tag)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
  ON CONFLICT (id) DO NOTHING
  RETURNING CAST(id AS TEXT) AS id`;

/** Inserts plants whose ids are free; tells for each, in order, whether it was inserted. Of one id the first wins. */
export async function insertPlants(
  plants: Repository<Plant>,
  newPlants: readonly NewPlantDto[],
): Promise<boolean[]> {
  const rows = newPlants.map(
    ({ id, name, tag = null }) => `[${id},${JSON.stringify(name)},${JSON.stringify(tag)}]`,
  );
  const inserted: { id: string }[] = await plants.query(INSERT, [`[${rows.join()}]`]);
  const free = new Set(inserted.map(({ id }) => id));
  return newPlants.map(({ id }) => free.delete(String(id)));
}
