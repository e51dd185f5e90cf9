import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { focusTop } from './focus.ts';
import { Observable, useValue } from './observable.ts';

interface Message {
  readonly text: string;
  /** What the user may do about it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** What has just been done, in one sentence. */
export const message = new Observable<Message | undefined>(undefined);

/** Milliseconds for which something done can be undone, unless the user lingers on it. */
const PATIENCE_MS = 12_000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Says what has been done, for some seconds. */
export function say(text: string, action?: Message['action']): void {
  message.value = { text, ...(action && { action }) };
  endLater();
}

function endLater(): void {
  clearTimeout(timer);
  timer = setTimeout(() => (message.value = undefined), PATIENCE_MS);
}

/** Shows what has just been done. It stays while the pointer or the focus is on it, and takes the focus if it offers something. */
export function MessageBar() {
  const shown = useValue(message);
  const action = useRef<HTMLButtonElement>(null);
  useEffect(() => action.current?.focus(), [shown]);
  const end = () => {
    message.value = undefined;
    focusTop();
  };
  const stay = () => clearTimeout(timer);
  return (
    <div
      role="status"
      class="messages"
      onFocusIn={stay}
      onFocusOut={endLater}
      onKeyDown={({ key }) => key === 'Escape' && end()}
      onMouseEnter={stay}
      onMouseLeave={endLater}
    >
      {shown && (
        <div class="message">
          <p>{shown.text}</p>
          {shown.action && (
            <button
              type="button"
              ref={action}
              onClick={() => {
                end();
                shown.action?.run();
              }}
            >
              {shown.action.label}
            </button>
          )}
          <button type="button" class="quiet" aria-label={texts.close} onClick={end}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
