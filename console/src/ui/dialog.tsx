import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { HoldNotice } from './hold-notice.tsx';

interface DialogProps {
  readonly title: string;
  /** Called when the user leaves, by the Escape key too; undefined means that he cannot. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
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
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A browser lets the Escape key close any dialog when it is pressed again.
      onClose={() => dialog.current && (onClose ? onClose() : dialog.current.showModal())}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {onClose && (
          <button type="button" class="quiet" onClick={onClose} aria-label={texts.close}>
            ×
          </button>
        )}
      </header>
      <HoldNotice />
      {children}
    </dialog>
  );
}
