import { ApiSchema } from '@nestjs/swagger';
import { MergePatchType } from '../../resource/merge-patch.js';
import { PlantDto } from './plant.dto.js';

/** A merge patch of a plant (RFC 7396): what is absent stays, `null` removes. */
@ApiSchema({
  name: 'PlantPatch',
  description: 'Changes of a plant. Members that are absent stay as they are; others than these are ignored.',
})
export class PlantPatchDto extends MergePatchType(PlantDto) {}
