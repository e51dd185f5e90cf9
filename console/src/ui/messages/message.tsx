import { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { IconButton } from '../controls/button.tsx';
import { CloseIcon, Icon, OkIcon, WarningIcon } from '../icons.tsx';
import styles from './message.module.css';
import { useRescuedFocus } from './rescued-focus.ts';

interface Message {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  /** What the user may do about it; an urgent one takes the focus. */
  readonly action:
    { readonly label: string; readonly isUrgent?: boolean; readonly run: () => void } | undefined;
  /** Counts messages of the same kind, which are one. */
  readonly many: ((count: number) => string) | undefined;
  readonly count: number;
}

/** What has just been done, oldest first. */
const messages = new Signal<readonly Message[]>([]);

let last = 0;

/** Says what has been done, for some seconds; with `many`, how often where the message before is still there. */
export function toast(text: string, action?: Message['action'], many?: Message['many']): void {
  show('done', text, action, many);
}

/** Says what could not be done, for some seconds. */
export function toastFailure(text: string, action?: Message['action']): void {
  show('failed', text, action);
}

function show(kind: Message['kind'], text: string, action: Message['action'], many?: Message['many']): void {
  last += 1;
  const count = (messages.value.find((other) => many && other.many === many)?.count ?? 0) + 1;
  // What can still be undone, or has failed, stays beside it.
  const others = messages.value.filter((other) => other.kind === 'failed' || other.action);
  messages.value = [
    ...others,
    { id: last, kind, text: (count > 1 && many?.(count)) || text, action, many, count },
  ];
}

/** Shows what has just been done. All of it stays while the pointer or the focus is on one of them. */
export function MessageBar() {
  useRescuedFocus([messages.value]);
  return (
    <div role="status" aria-atomic="false" class={styles['messages']}>
      {messages.value.map((message) => (
        <MessageCard key={message.id} message={message} />
      ))}
    </div>
  );
}

function MessageCard({ message }: { readonly message: Message }) {
  const { kind, text, action } = message;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (action?.isUrgent) button.current?.focus();
  }, []);
  const end = () => (messages.value = messages.value.filter((other) => other !== message));
  return (
    <div
      class={`${styles['message']} ${styles[kind]}`}
      role={kind === 'failed' ? 'alert' : undefined}
      onKeyDown={({ key }) => key === 'Escape' && end()}
    >
      <Icon of={kind === 'failed' ? WarningIcon : OkIcon} />
      <p>{text}</p>
      {action && (
        <button
          type="button"
          ref={button}
          onClick={() => {
            end();
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton icon={CloseIcon} label={texts.close} onClick={end} />
      {/* Its animation is the clock: a style stops it while somebody is there. */}
      <i class={styles['timeLeft']} onAnimationEnd={end} />
    </div>
  );
}
