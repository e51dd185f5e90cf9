import { X } from '../icons.js';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../../service/connection.ts';
import { texts } from '../../texts.ts';
import { Button, IconButton } from '../button.tsx';
import { Field, FieldProblem, Problem } from '../field.tsx';
import styles from './dialog.module.css';
import { copy, RetryNotice } from './message.tsx';

interface DialogProps {
  readonly title: string;
  /** Called by × and the Escape key; undefined if the dialog cannot be closed. */
  readonly onClose?: (() => void) | undefined;
  /** Full height, at the side of the page. */
  readonly isDrawer?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser traps the focus in it and restores it afterwards. */
export function Dialog({ title, onClose, isDrawer = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isDrawer ? styles['drawer'] : undefined}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A second Escape closes any dialog, cancelled or not.
      onClose={() => dialog.current && (onClose ? onClose() : dialog.current.showModal())}
    >
      <header class="row">
        <h2 id={heading}>{title}</h2>
        {onClose && <IconButton icon={X} label={texts.close} onClick={onClose} />}
      </header>
      <RetryNotice />
      {children}
    </dialog>
  );
}

interface Secret {
  readonly title: string;
  readonly secret: string;
  /** A text with the secret, to send to whoever gets it. */
  readonly message?: string;
}

type Work = (form: FormData) => Promise<Secret | void>;

interface FormDialogProps extends Pick<DialogProps, 'title' | 'children'> {
  readonly submit: string;
  /** Irreversible: Cancel gets the focus. */
  readonly isDangerous?: boolean;
  /** The field that every error belongs to. */
  readonly blamed?: string;
  readonly failure?: Error | undefined;
  readonly work: Work;
  readonly other?: { readonly label: string; readonly work: Work } | undefined;
  /** Called on leaving; undefined if the dialog cannot be closed. A failed request may have had an effect. */
  readonly onLeave: ((mayHaveChanged: boolean) => void) | undefined;
}

/** A form that stays open until its work succeeds, then shows the secret that it returned, once. */
export function FormDialog({ title, submit, isDangerous, work, other, onLeave, ...rest }: FormDialogProps) {
  const { blamed, failure, children } = rest;
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<Error>();
  const [secret, setSecret] = useState<Secret>();
  const form = useRef<HTMLFormElement>(null);
  const start = async (does: Work) => {
    if (isBusy || !form.current) return;
    setIsBusy(true);
    setRefusal(undefined);
    try {
      setSecret((await does(new FormData(form.current))) ?? undefined);
    } catch (error) {
      setRefusal(error as Error);
    }
    setIsBusy(false);
  };
  if (secret) return <ShownSecret {...secret} onEnd={() => onLeave?.(true)} />;
  const leave = onLeave && (() => onLeave(refusal !== undefined));
  const { message } = refusal ?? failure ?? {};
  const named = blamed ?? (refusal instanceof Refusal && refusal.field) ?? '';
  const field = named && form.current?.elements.namedItem(named) ? named : undefined;
  return (
    <Dialog title={title} onClose={leave}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void start(work);
        }}
      >
        <FieldProblem.Provider value={{ field, message }}>{children}</FieldProblem.Provider>
        <Problem text={field === undefined ? message : undefined} />
        <footer class="row">
          {other && (
            <Button label={other.label} class={styles['first']} onClick={() => void start(other.work)} />
          )}
          {leave && <Button label={texts.cancel} autoFocus={isDangerous} onClick={leave} />}
          <Button type="submit" class={isDangerous ? 'danger primary' : 'primary'} isBusy={isBusy}>
            {submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function ShownSecret({ title, secret, message, onEnd }: Secret & { readonly onEnd: () => void }) {
  const [copied, setCopied] = useState<string>();
  return (
    <Dialog title={title}>
      <p>Copy it now. It will not be shown again.</p>
      <Field label="Secret" value={secret} readOnly autoFocus>
        <Button
          label="Copy"
          class={message || copied ? '' : 'primary'}
          onClick={() => void copy(secret).then(setCopied)}
        />
      </Field>
      {message && (
        <Field label="To send" kind="lines" value={message} readOnly>
          <Button
            label="Copy message"
            class={copied ? '' : 'primary'}
            onClick={() => void copy(message).then(setCopied)}
          />
        </Field>
      )}
      <p role="status">{copied}</p>
      <footer class="row">
        <Button label="Done" class={copied ? 'primary' : ''} onClick={onEnd} />
      </footer>
    </Dialog>
  );
}
