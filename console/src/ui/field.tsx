import { type ComponentChildren, createContext, h } from 'preact';
import { useContext, useEffect, useId } from 'preact/hooks';
import { writeJson } from '../exact-json.ts';

/** The error of a form, and the field that caused it. */
export const FieldProblem = createContext<{ field?: string | undefined; message?: string | undefined }>({});

type Texts = Partial<Record<'name' | 'value' | 'defaultValue' | 'list' | 'placeholder', string | undefined>>;

interface FieldProps extends Texts {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Replaces the error message of the service. */
  readonly advice?: string;
  /** `lines` allows line breaks. */
  readonly kind?: 'text' | 'password' | 'date' | 'lines';
  readonly readOnly?: boolean;
  readonly autoFocus?: boolean;
  readonly children?: ComponentChildren;
  readonly onInput?: (value: string) => void;
}

/** A labelled field with its hint and its error. */
export function Field({ label, hint, advice, kind = 'text', children, onInput, ...inputProps }: FieldProps) {
  const id = useId();
  const problem = useProblem(id, inputProps.name, advice);
  const attributes = {
    ...inputProps,
    id,
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
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

interface ChoicesProps {
  readonly legend: string;
  readonly name: string;
  /** The label of each value. */
  readonly choices: Readonly<Record<string, string | undefined>>;
  readonly areChosen?: boolean;
  readonly advice: string;
}

/** A group of checkboxes. */
export function Choices({ legend, name, choices, areChosen = false, advice }: ChoicesProps) {
  const id = useId();
  const problem = useProblem(id, name, advice);
  return (
    <fieldset aria-describedby={`${id}-problem`}>
      <legend>{legend}</legend>
      {Object.entries(choices).map(([value, meaning], index) => (
        <label key={value} class="row">
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            name={name}
            value={value}
            defaultChecked={areChosen}
          />
          {meaning}
        </label>
      ))}
      <Problem id={`${id}-problem`} text={problem} />
    </fieldset>
  );
}

interface SelectProps extends Partial<Record<'id' | 'aria-label', string>> {
  readonly value: string;
  /** Names by value. */
  readonly options: Readonly<Record<string, string>>;
  readonly onChoose: (value: string) => void;
}

/** A select. It also shows a current value that is not an option. */
export function Select({ value, options, onChoose, ...attributes }: SelectProps) {
  const all = { ...options, [value]: options[value] ?? value };
  return (
    <select {...attributes} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {Object.entries(all).map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The error of a field, which then gets the focus. */
function useProblem(id: string, name: FieldProps['name'], advice: string | undefined): string | undefined {
  const { field, message } = useContext(FieldProblem);
  const problem = name && field === name ? message : undefined;
  useEffect(() => {
    if (problem !== undefined) document.getElementById(id)?.focus();
  }, [problem]);
  return problem && (advice ?? problem);
}

/** The error of a form or a field. */
export function Problem({ id, text }: Readonly<{ id?: string; text: string | undefined }>) {
  return h(id === undefined ? 'p' : 'small', { id, class: 'problem', role: 'alert' }, text);
}

/** The text of any JSON value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** Enter submits, as in single-line fields; Shift+Enter breaks the line. */
function submitOnEnter(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void {
  if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
