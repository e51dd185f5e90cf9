import { type ComponentChildren, h } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { writeJson } from '../../exact-json.ts';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  /** `lines` is a text that may have several. */
  readonly kind?: 'text' | 'password' | 'date' | 'lines';
  /** The id of a list of suggestions. */
  readonly list?: string;
  readonly placeholder?: string | undefined;
  readonly isReadOnly?: boolean;
  readonly hasFocus?: boolean;
  readonly children?: ComponentChildren;
  readonly onInput?: (value: string) => void;
}

/** A labelled field with its hint and what is wrong with it. */
export function Field({
  label,
  value,
  hint,
  problem,
  kind = 'text',
  list,
  placeholder,
  isReadOnly = false,
  hasFocus = false,
  children,
  onInput,
}: FieldProps) {
  const id = useId();
  useEffect(() => {
    if (problem !== undefined) document.getElementById(id)?.focus();
  }, [problem]);
  const attributes = {
    id,
    value,
    list,
    placeholder,
    readOnly: isReadOnly,
    autoFocus: hasFocus,
    dir: 'auto',
    autoComplete: 'off',
    spellcheck: false,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
    onInput: (event: { currentTarget: { value: string } }) => onInput?.(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row">
        {kind === 'lines'
          ? h('textarea', { ...attributes, rows: 1, onKeyDown: submitOnEnter })
          : h('input', { ...attributes, type: kind })}
        {children}
      </div>
      <small id={`${id}-hint`}>{hint}</small>
      <small id={`${id}-problem`} class="problem" role="alert">
        {problem}
      </small>
    </div>
  );
}

/** A field that the console does not know. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** Lets the Enter key do what it does in every other field; with Shift it begins a line. */
function submitOnEnter(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void {
  if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
