import { ApiSchema } from '@nestjs/swagger';
import { MergePatchType } from '../../../../src/kernel/resource/merge-patch.js';
import { NewWateringDto } from './new-watering.dto.js';

/** A merge patch of a watering (RFC 7396). */
@ApiSchema({ name: 'WateringPatch', description: 'Changes of a watering.' })
export class WateringPatchDto extends MergePatchType(NewWateringDto) {}
