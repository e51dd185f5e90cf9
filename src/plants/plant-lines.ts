import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { parseJsonObject } from '../http/json-object.js';
import type { Line } from '../ndjson/lines.js';
import { DtoValidationPipe } from '../validation/validation.pipe.js';
import { NewPlantDto } from './dto/new-plant.dto.js';
import type { PlantRow } from './read-plants.js';

const validation = new DtoValidationPipe('The line');

/** A stored plant as a line of NDJSON, with its end. */
export function formatPlantLine({ id, name, tag }: PlantRow): string {
  const members = tag === null ? '' : `,"tag":${JSON.stringify(tag)}`;
  return `{"id":${id},"name":${JSON.stringify(name)}${members}}\n`;
}

/**
 * The plant of a line, under the same rules as the body of a create.
 *
 * @throws ApiException 41300, 40000 or 40001 when the line is too long, not a JSON object or not a NewPlant.
 */
export async function parsePlantLine({ content }: Line): Promise<NewPlantDto> {
  if (content === undefined) throw new ApiException(ErrorValue.BodyTooLarge, 'The line is too long.');
  const metadata = { type: 'body', metatype: NewPlantDto } as const;
  const members = parseJsonObject(content, 'The line') as Record<string, unknown>;
  return (await validation.transform(members, metadata)) as NewPlantDto;
}
