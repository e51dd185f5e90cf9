import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly submit: string;
  /** Whether it cannot be taken back: then the focus is on the way out. */
  readonly isDangerous?: boolean;
  /** Does what the form is for. */
  readonly work: () => Promise<void>;
  /** Called when the user leaves. What was under way and failed may have been done in part. */
  readonly onLeave: (hasFailed: boolean) => void;
  /** The form, with why it was refused. */
  readonly children: (problem: string | undefined) => ComponentChildren;
}

/** A dialog that asks, does one thing, and stays while that is refused. */
export function FormDialog({ title, submit, isDangerous = false, work, onLeave, children }: FormDialogProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const start = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem((error as Error).message);
    }
    setIsBusy(false);
  };
  const leave = () => onLeave(problem !== undefined);
  return (
    <Dialog title={title} onClose={leave}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void start();
        }}
      >
        {children(problem)}
        <footer>
          <button type="button" autoFocus={isDangerous} onClick={leave}>
            {texts.cancel}
          </button>
          <Button type="submit" class={isDangerous ? 'danger primary' : 'primary'} isOff={isBusy}>
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
