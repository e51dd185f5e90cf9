import type { IconPath } from './icons.js';
import type { ButtonHTMLAttributes } from 'preact';

/** An icon as high as the text. Decorative: the text beside it or the label of its button says what it means. */
export function Icon({ of }: { readonly of: IconPath }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={of} />
    </svg>
  );
}

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon' | 'onClick'> {
  readonly icon?: IconPath;
  /** The text, or the name of an icon button. */
  readonly label?: string;
  readonly class?: string | undefined;
  /** Disabled, but keeps the focus, unlike `disabled`. */
  readonly isOff?: boolean;
  /** Shows a spinner and ignores clicks. */
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
}

/** A button that keeps the focus while it is disabled or busy. */
export function Button({ icon, label, class: name = '', isOff, isBusy, onClick, ...props }: ButtonProps) {
  const { children = label, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      class={isBusy ? `${name} busy` : name}
      aria-disabled={isOff || isBusy}
      onClick={(event) => {
        if (isOff || isBusy) event.preventDefault();
        else onClick?.();
      }}
    >
      {icon && <Icon of={icon} />}
      {children}
    </button>
  );
}

/** A button with an icon only. */
export function IconButton({ label, ...props }: ButtonProps & { readonly label: string }) {
  return <Button class="quiet icon" {...props} aria-label={label} title={label} />;
}
