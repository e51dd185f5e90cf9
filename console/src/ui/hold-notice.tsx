import { hold } from '../service/connection.ts';
import { texts } from '../texts.ts';
import { useValue } from './observable.ts';

/** Says that requests wait for the service, if they do. */
export function HoldNotice() {
  const held = useValue(hold);
  return (
    <div role="status">
      {held?.reason === 'service' && (
        <div class="notice">
          <p>
            <strong>{held.message}</strong> {texts.hold.retrying}
          </p>
          <button type="button" onClick={held.goOn}>
            {texts.hold.now}
          </button>
        </div>
      )}
    </div>
  );
}
