import { IsIn } from 'class-validator';
import { Variable } from '../../config/configuration.js';

/** The settings of searches. */
export class SearchSettings {
  @Variable(
    'Whether lists can be [searched](api.md#search): `on` or `off`. The service builds the index, which every write pays for, or removes it.',
  )
  @IsIn(['on', 'off'])
  SEARCH = 'off';

  /** Whether there is an index for searches. */
  get isOn(): boolean {
    return this.SEARCH === 'on';
  }
}
