import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { IsStorableText } from '../../validation/is-storable-text.js';
import { MayBeAbsent } from '../../validation/may-be-absent.js';

/** A merge patch of a plant (RFC 7396): what is absent stays, `null` removes. */
@ApiSchema({
  name: 'PlantPatch',
  description: 'Changes of a plant. Members that are absent stay as they are; others than these are ignored.',
})
export class PlantPatchDto {
  @ApiPropertyOptional({ description: 'The new name of the plant.', example: 'Monstera adansonii' })
  @MayBeAbsent()
  @IsStorableText()
  name?: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'The new tag of the plant; `null` removes the tag.',
    example: 'climber',
  })
  @ValidateIf((_object: object, value: unknown) => value !== undefined && value !== null)
  @IsStorableText()
  tag?: string | null;
}
