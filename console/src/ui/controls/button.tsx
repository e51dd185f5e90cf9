import type { IconNode } from 'lucide';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon } from '../icons.tsx';

interface ButtonProps extends Pick<ButtonHTMLAttributes, 'aria-label' | 'title'> {
  readonly type?: 'button' | 'submit';
  readonly class?: string;
  /** Whether it does nothing now. It keeps the focus: a disabled button would lose it. */
  readonly isOff?: boolean;
  /** Whether it does something now, and so nothing else. */
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
  readonly children?: ComponentChildren;
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'isBusy'> {
  readonly icon: IconNode;
  readonly label: string;
}

/** A button that may be off, or busy, for a while. */
export function Button({
  type = 'button',
  class: name = '',
  isOff = false,
  isBusy = false,
  onClick,
  children,
  ...attributes
}: ButtonProps) {
  return (
    <button
      {...attributes}
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

/** A button that is an icon, with its name for who points at it or hears it. */
export function IconButton({ icon, label, class: name = 'quiet', ...props }: IconButtonProps) {
  return (
    <Button {...props} class={`${name} icon`} aria-label={label} title={label}>
      <Icon of={icon} />
    </Button>
  );
}
