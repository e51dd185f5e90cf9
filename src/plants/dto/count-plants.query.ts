import { PickType } from '@nestjs/swagger';
import { ListPlantsQuery } from './list-plants.query.js';

/** Which plants to count: the filters of a list. */
export class CountPlantsQuery extends PickType(ListPlantsQuery, ['tag', 'name']) {}
