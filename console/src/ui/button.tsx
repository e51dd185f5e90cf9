import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly type?: 'button' | 'submit';
  readonly class?: string;
  /** Whether it does nothing now. It keeps the focus: a disabled button would lose it. */
  readonly isOff: boolean;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

/** A button that may be off for a while. */
export function Button({ type = 'button', isOff, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      aria-disabled={isOff}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.();
      }}
      {...rest}
    />
  );
}
