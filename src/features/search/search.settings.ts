import { IsIn } from 'class-validator';
import { Variable } from '../../kernel/config/configuration.js';

/** The settings of searches. */
export class SearchSettings {
  @Variable(
    'Whether an index makes [searches](api.md#search) of a large store fast: `on` or `off`. With `on`, the service builds it and writes are slower; with `off`, the service removes it.',
  )
  @IsIn(['on', 'off'])
  SEARCH = 'off';

  /** Whether there is an index for searches. */
  get isOn(): boolean {
    return this.SEARCH === 'on';
  }
}
