import type { IconNode } from 'lucide';
import { type ButtonHTMLAttributes, h } from 'preact';

/** A drawing as high as the letters beside it. It says nothing that is not beside it, or in the label of its button. */
export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon' | 'onClick'> {
  readonly icon?: IconNode;
  /** Its text; or its name for who points at its icon or hears it. */
  readonly label?: string;
  readonly class?: string | undefined;
  /** Whether it does nothing now. It keeps the focus: a disabled button would lose it. */
  readonly isOff?: boolean;
  /** Whether it does something now, and so nothing else. */
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
}

/** A button that may be off, or busy, for a while. */
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

/** A button that is only an icon. */
export function IconButton({ label, ...props }: ButtonProps & { readonly label: string }) {
  return <Button class="quiet icon" {...props} aria-label={label} title={label} />;
}
