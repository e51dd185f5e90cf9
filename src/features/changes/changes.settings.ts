import { Variable } from '../../kernel/config/configuration.js';
import { IsDuration, millisecondsOf } from '../../kernel/config/formats.js';

/** The settings of the changes that a store keeps. */
export class ChangesSettings {
  @Variable(
    'The time for which the service keeps each [change](api.md#changes): a whole number and `s`, `m`, `h` or `d`. With `0`, it keeps none, and writes cost less.',
  )
  @IsDuration({ mayBeZero: true })
  CHANGES_KEPT = '7d';

  /** Milliseconds for which changes are kept; 0 for no changes. */
  get kept(): number {
    return millisecondsOf(this.CHANGES_KEPT);
  }
}
