import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly type?: 'button' | 'submit';
  readonly class?: string;
  /** Whether it does nothing now. It keeps the focus: a disabled button would lose it. */
  readonly isOff?: boolean;
  /** Whether it does something now, and so nothing else. */
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

/** A button that may be off, or busy, for a while. */
export function Button({
  type = 'button',
  class: name = '',
  isOff = false,
  isBusy = false,
  onClick,
  children,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={isBusy ? `${name} busy` : name}
      aria-disabled={isOff || isBusy}
      onClick={(event) => {
        if (isOff || isBusy) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}
