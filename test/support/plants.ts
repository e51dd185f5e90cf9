import { getMetadataArgsStorage } from 'typeorm';
import { NewPlantDto, PlantDto } from '../../src/plants/dto/plant.dto.js';
import { Plant } from '../../src/plants/plant.entity.js';
import type { Answer, Service } from './service.js';

/** Fields of a plant beyond id, name and tag. Their own tests look at them. */
export const OTHER_FIELDS: ReadonlySet<string> = new Set(
  getMetadataArgsStorage()
    .columns.filter(({ target }) => target === Plant)
    .map(({ propertyName }) => propertyName),
).difference(new Set(['id', 'name', 'tag']));

/** A text whose lines may hold JSON, without the other fields of plants. Every value keeps its bytes. */
export function withoutOtherFields(text: string): string {
  return text.replace(/\[?\{"[^\r\n]*[\]}]/g, (json) =>
    JSON.stringify(
      JSON.parse(json, (name, value: unknown, { source }: { source?: string } = {}) => {
        if (OTHER_FIELDS.has(name)) return undefined;
        return source === undefined ? value : JSON.rawJSON(source);
      }),
    ),
  );
}

/** A plant as a body with this id and this name becomes one. */
export function newPlant(id: bigint, name: string): NewPlantDto {
  return Object.assign(new NewPlantDto(), { id, name });
}

/** A row of `plants`; other fields have the defaults of their DTO. */
export function plantRow(id: bigint, name: string, tag: string | null = null): Plant {
  return Object.assign(new Plant(), new PlantDto(), { id, name, tag });
}

/** A plant that tells its id. */
export function plant(id: number) {
  return { id, name: `plant ${id}`, tag: 'durable' };
}

/** Creates plants with consecutive ids, all at the same time. */
export async function createMany(service: Service, count: number, firstId = 1): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => service.create(plant(firstId + index))),
  );
}

/** Every kind of plant that a store can hold, in ascending id, as lines of NDJSON. */
export const PLANT_LINES = [
  '{"id":-9223372036854775808,"name":"","tag":""}',
  '{"id":-9007199254740993,"name":"Aloe"}',
  '{"id":0,"name":"草 \u{1F33F} \\"quoted\\" \\\\ \\n","tag":"\\u0001"}',
  '{"id":9007199254740993,"name":"Monstera deliciosa","tag":"houseplant"}',
  '{"id":9223372036854775807,"name":"last"}',
].map((line) => `${line}\n`);

/** Lines of so many plants, with ids from 1. */
export function numberedLines(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `{"id":${index + 1},"name":"plant ${index + 1}"}\n`,
  ).join('');
}

/**
 * Stores 30,000 plants, or another multiple of that. Tags: `frequent` on every second plant, `rare` on ten. Names: `Rare …` on
 * ten, `M_nstera …` on the last quarter or so, and `Monstera …` on the others.
 */
export async function storeManyPlants({ database }: Service, count = 30_000): Promise<void> {
  const tenth = count / 10;
  await database.execute(`
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${count})
    INSERT INTO plants (id, name, tag)
    SELECT id,
           CASE WHEN id % ${tenth} = 1 THEN 'Rare ' WHEN id > ${tenth} * 22 / 3 THEN 'M_nstera ' ELSE 'Monstera ' END || id,
           CASE WHEN id % ${tenth} = 2 THEN 'rare' WHEN id % 2 = 1 THEN 'frequent' END
    FROM ids`);
}
