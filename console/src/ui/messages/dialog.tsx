import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../../service/connection.ts';
import { texts } from '../../texts.ts';
import { Button, IconButton } from '../controls/button.tsx';
import styles from './dialog.module.css';
import { CloseIcon } from '../icons.tsx';
import { RetryNotice } from './notice.tsx';

interface DialogProps {
  readonly title: string;
  /** Called when the user leaves, by the Escape key too; undefined means that he cannot. */
  readonly onClose?: (() => void) | undefined;
  /** Whether it is as high as the page, at its side. */
  readonly isDrawer?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it, and gives it back afterwards. */
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
      // A browser lets the Escape key close any dialog when it is pressed again.
      onClose={() => dialog.current && (onClose ? onClose() : dialog.current.showModal())}
    >
      <header class="row">
        <h2 id={heading}>{title}</h2>
        {onClose && <IconButton icon={CloseIcon} label={texts.close} onClick={onClose} />}
      </header>
      <RetryNotice />
      {children}
    </dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  readonly submit: string;
  /** Whether it cannot be taken back: then the focus is on the way out. */
  readonly isDangerous?: boolean;
  /** Does what the form is for. */
  readonly work: () => Promise<void>;
  /** What can be done instead. */
  readonly other?: { readonly label: string; readonly work: () => Promise<void> } | undefined;
  /** Called when the user leaves, if he can. What was under way and failed may have been done in part. */
  readonly onLeave: ((hasFailed: boolean) => void) | undefined;
  /** The form, with why it was refused and the field that is to blame. */
  readonly children: (problem: string | undefined, field: string | undefined) => ComponentChildren;
}

/** A dialog that asks, does one thing, and stays while that is refused. */
export function FormDialog({
  title,
  submit,
  isDangerous = false,
  work,
  other,
  onLeave,
  children,
}: FormDialogProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const start = async (does: () => Promise<void>) => {
    if (isBusy) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      await does();
    } catch (error) {
      setProblem(error as Error);
    }
    setIsBusy(false);
  };
  const leave = onLeave && (() => onLeave(problem !== undefined));
  return (
    <Dialog title={title} onClose={leave}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start(work);
        }}
      >
        {children(problem?.message, problem instanceof Refusal ? problem.field : undefined)}
        <footer>
          {other && (
            <button type="button" class={styles['first']} onClick={() => void start(other.work)}>
              {other.label}
            </button>
          )}
          {leave && (
            <button type="button" autoFocus={isDangerous} onClick={leave}>
              {texts.cancel}
            </button>
          )}
          <Button type="submit" class={isDangerous ? 'danger primary' : 'primary'} isBusy={isBusy}>
            {submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** What is wrong with a form as a whole. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}
