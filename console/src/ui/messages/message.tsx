import { CircleCheck, Copy, TriangleAlert, X } from 'lucide';
import { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
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
      class={`floating ${styles['message']} ${styles[kind]}`}
      role={kind === 'failed' ? 'alert' : undefined}
      onKeyDown={({ key }) => key === 'Escape' && end()}
    >
      <Icon of={kind === 'failed' ? TriangleAlert : CircleCheck} />
      <p>{text}</p>
      {action && (
        <Button
          ref={button}
          onClick={() => {
            end();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label={texts.close} onClick={end} />
      {/* Its animation is the clock: a style stops it while somebody is there. */}
      <i class={styles['timeLeft']} onAnimationEnd={end} />
    </div>
  );
}

interface NoticeProps {
  readonly action: string;
  readonly onAction: () => void;
  readonly children: ComponentChildren;
}

/** What the user has to know, and what he can do about it. */
export function Notice({ action, onAction, children }: NoticeProps) {
  return (
    <div class="banner partial">
      <Icon of={TriangleAlert} />
      <p>{children}</p>
      <Button label={action} onClick={onAction} />
    </div>
  );
}

/** Says that requests wait for the service, if they do. */
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

/** Says why something could not be loaded, if so. */
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

/** Copies a text; returns what to tell the user. */
export async function copy(text: string): Promise<string> {
  try {
    // Pages that came over plain HTTP have no clipboard.
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'The browser blocked copying.';
  }
}

/** A quiet button that copies a text. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  return <IconButton icon={Copy} label={label} onClick={() => void copy(text).then((told) => toast(told))} />;
}
