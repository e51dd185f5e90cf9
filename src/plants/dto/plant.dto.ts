import { ApiPropertyOptional, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsStorableText, MAX_TEXT, MayBeAbsent } from '../../validation/decorators.js';

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
