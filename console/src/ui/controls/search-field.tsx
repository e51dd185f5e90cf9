import type { IconNode } from 'lucide';
import { h, type Ref } from 'preact';
import { Icon } from '../icons.tsx';
import styles from './search-field.module.css';

interface SearchFieldProps {
  readonly icon: IconNode;
  readonly label: string;
  readonly placeholder?: string;
  /** The id of a list of suggestions. */
  readonly list?: string;
  readonly value: string;
  readonly field?: Ref<HTMLInputElement>;
  readonly class?: string | undefined;
  readonly onInput: (value: string) => void;
  /** Called when the user is done with it. */
  readonly onChange?: () => void;
}

/** A field of a bar: an icon and a placeholder say what it is for. */
export function SearchField({
  icon,
  label,
  placeholder = label,
  field = null,
  class: name = '',
  onInput,
  ...attributes
}: SearchFieldProps) {
  return (
    <div class={`${styles['field']} ${name}`}>
      <Icon of={icon} />
      {h('input', {
        ...attributes,
        ref: field,
        placeholder,
        type: 'search',
        'aria-label': label,
        dir: 'auto',
        autoComplete: 'off',
        spellcheck: false,
        onInput: ({ currentTarget }) => onInput(currentTarget.value),
      })}
    </div>
  );
}
