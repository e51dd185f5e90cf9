import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { MergePatchType } from '../../kernel/resource/merge-patch.js';
import { IsInt64, IsStorableText, MAX_TEXT, MayBeAbsent } from '../../kernel/validation/decorators.js';

/** The plant that a response returns (specification, Plant). */
@ApiSchema({ name: 'Plant', description: 'A plant.' })
export class PlantDto {
  @ApiProperty({ description: 'The name of the plant.', example: 'Monstera deliciosa' })
  @IsStorableText(MAX_TEXT)
  name: string;

  @ApiPropertyOptional({ description: 'Tag that specifies the type of the plant.', example: 'houseplant' })
  @MayBeAbsent()
  @IsStorableText(MAX_TEXT)
  tag?: string;
}

/** A plant to create: a Plant and the id that the client chose for it (specification, NewPlant). */
@ApiSchema({ name: 'NewPlant', description: 'A plant to create. Members that are not listed are ignored.' })
export class NewPlantDto extends PlantDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Identification number of the plant, unique in the store. Any int64, written as an integer.',
    example: 1,
  })
  @IsInt64()
  id: bigint;
}

/** A plant as it is stored: with its id. */
@ApiSchema({ name: 'StoredPlant', description: 'A plant of the store, with its id.' })
export class StoredPlantDto extends NewPlantDto {}

/** A merge patch of a plant (RFC 7396): what is absent stays, `null` removes. */
@ApiSchema({
  name: 'PlantPatch',
  description:
    'Changes to a plant. Absent members stay as they are. Members that are not listed are ignored.',
})
export class PlantPatchDto extends MergePatchType(PlantDto) {}
