import { CircleCheck, TriangleAlert, X } from '../icons.js';
import { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { retryNow, retryState } from '../../service/connection.ts';
import { texts } from '../../texts.ts';
import { Button, Icon, IconButton } from '../button.tsx';
import type { Loaded } from '../use-loaded.ts';
import styles from './message.module.css';
import { useRescuedFocus } from './rescued-focus.ts';

interface Message {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly action: { readonly label: string; readonly run: () => void } | undefined;
  /** Collapses equal messages into one with a count. */
  readonly many: ((count: number) => string) | undefined;
  readonly count: number;
}

/** Oldest first. */
const messages = new Signal<readonly Message[]>([]);

/** What goes on without a dialog. */
export const working = new Signal<{ text: string; done: number; count: number } | undefined>(undefined);

let last = 0;

/** Reports a success for some seconds; `many` collapses it with the previous one. */
export function toast(text: string, action?: Message['action'], many?: Message['many']): void {
  show('done', text, action, many);
}

/** Reports a failure for some seconds. */
export function toastFailure(text: string, action?: Message['action']): void {
  show('failed', text, action);
}

function show(kind: Message['kind'], text: string, action: Message['action'], many?: Message['many']): void {
  last += 1;
  const count = (messages.value.find((other) => many && other.many === many)?.count ?? 0) + 1;
  // Failures and messages with an action stay.
  const others = messages.value.filter((other) => other.kind === 'failed' || other.action);
  messages.value = [
    ...others,
    { id: last, kind, text: (count > 1 && many?.(count)) || text, action, many, count },
  ];
}

/** Shows the messages. None disappears while one has the pointer or the focus. */
export function MessageBar() {
  useRescuedFocus([messages.value]);
  return (
    <div role="status" aria-atomic="false" class={styles['messages']}>
      {messages.value.map((message) => (
        <MessageCard key={message.id} message={message} />
      ))}
      {working.value && (
        <label class={`floating ${styles['message']}`}>
          <p>{working.value.text}</p>
          <progress max={working.value.count} value={working.value.done} />
        </label>
      )}
    </div>
  );
}

function MessageCard({ message }: { readonly message: Message }) {
  const { kind, text, action } = message;
  const end = () => (messages.value = messages.value.filter((other) => other !== message));
  return (
    <div
      class={`floating ${styles['message']} ${styles[kind]}`}
      role={kind === 'failed' ? 'alert' : undefined}
      onKeyDown={({ key }) => key === 'Escape' && end()}
    >
      <Icon of={kind === 'failed' ? TriangleAlert : CircleCheck} />
      <p>{text}</p>
      {action && (
        <Button
          onClick={() => {
            end();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label={texts.close} onClick={end} />
      {/* Its animation is the timer, which a style pauses. */}
      <i class={styles['timeLeft']} onAnimationEnd={end} />
    </div>
  );
}

interface NoticeProps {
  readonly action: string;
  readonly onAction: () => void;
  readonly children: ComponentChildren;
}

/** A warning with an action. */
export function Notice({ action, onAction, children }: NoticeProps) {
  return (
    <div class="banner partial">
      <Icon of={TriangleAlert} />
      <p>{children}</p>
      <Button label={action} onClick={onAction} />
    </div>
  );
}

/** Shows that requests wait for the service. */
export function RetryNotice() {
  return (
    <div role="status">
      {retryState.value?.reason === 'service' && (
        <Notice action="Retry now" onAction={retryNow}>
          <strong>{retryState.value.message}</strong> {'Retrying … Your input is kept.'}
        </Notice>
      )}
    </div>
  );
}

/** Shows why a load failed. */
export function LoadFailure({ of }: { readonly of: Pick<Loaded<unknown>, 'failure' | 'reload'> }) {
  return (
    of.failure && (
      <div role="alert">
        <Notice action={texts.tryAgain} onAction={of.reload}>
          {of.failure.message}
        </Notice>
      </div>
    )
  );
}

/** Copies a text; returns the message for the user. */
export async function copy(text: string): Promise<string> {
  try {
    // Pages served over plain HTTP have no clipboard.
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'The browser blocked copying.';
  }
}
