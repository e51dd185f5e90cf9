import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from 'typeorm';
import { isStoreUnavailable } from '../database/store-unavailable.js';
import { ApiException } from '../errors/api.exception.js';
import type { Line } from '../ndjson/lines.js';
import type { NewPlantDto } from './dto/new-plant.dto.js';
import { insertPlants } from './insert-plants.js';
import type { Plant } from './plant.entity.js';
import { idTaken } from './plant-errors.js';
import { parsePlantLine } from './plant-lines.js';
import { findPlants } from './read-plants.js';

/** How often, and with what pause in milliseconds, lines are tried again while the database is away: for 10 seconds. */
const ATTEMPTS = 50;
const PAUSE_MS = 200;

/** What became of some lines. */
export interface ImportedLines {
  created: number;
  /** Plants that the store had already, exactly like this: an import may be repeated. */
  unchanged: number;
  readonly refusals: { readonly line: number; readonly reason: string }[];
}

/** Stores the plants of some lines with one statement. A line that is refused leaves the others alone. */
export async function importPlants(
  plants: Repository<Plant>,
  lines: readonly Line[],
): Promise<ImportedLines> {
  const outcome: ImportedLines = { created: 0, unchanged: 0, refusals: [] };
  const parsed: { line: number; plant: NewPlantDto }[] = [];
  for (const line of lines) {
    try {
      parsed.push({ line: line.number, plant: await parsePlantLine(line) });
    } catch (error) {
      if (!(error instanceof ApiException)) throw error;
      outcome.refusals.push({ line: line.number, reason: error.message });
    }
  }
  const newPlants = parsed.map(({ plant }) => plant);
  const created = await patiently(() => insertPlants(plants, newPlants));
  const taken = parsed.filter((_, index) => !created[index]);
  const known = await patiently(() =>
    findPlants(
      plants.manager,
      taken.map(({ plant }) => plant.id),
    ),
  );
  const knownById = new Map(known.map((row) => [row.id, row]));
  for (const { line, plant } of taken) {
    const row = knownById.get(String(plant.id));
    if (row?.name === plant.name && row.tag === (plant.tag ?? null)) outcome.unchanged += 1;
    else outcome.refusals.push({ line, reason: idTaken(plant.id).message });
  }
  outcome.created = newPlants.length - taken.length;
  outcome.refusals.sort((a, b) => a.line - b.line);
  return outcome;
}

/** Waits for a database that is away; nothing is stored twice when a lost statement had been executed. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isStoreUnavailable(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
