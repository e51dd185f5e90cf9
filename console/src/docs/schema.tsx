import { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Fold } from '../ui/fold.tsx';
import styles from './docs.module.css';
import { alternativesOf, fieldsOf, type Parameter, type Schema, typeOf } from './contract.ts';

/** What the address names, such as `listPlants` or `listPlants/limit`. */
export const place = new Signal(location.hash.slice(1));

addEventListener('hashchange', () => (place.value = location.hash.slice(1)));

/** A link to a place. The base of the page is not what it is relative to. */
export function hrefOf(name: string): string {
  return `${location.pathname}#${name}`;
}

/** The place of a part of the operation that is shown; also the id of its element. */
export function partOf(part: string): string {
  return `${place.value.split('/')[0]}/${part}`;
}

/** Text of the contract: paragraphs, and code in backquotes. */
export function Prose({ text = '' }: { readonly text?: string | undefined }) {
  return text.split('\n\n').map((paragraph) => <p key={paragraph}>{withCode(paragraph)}</p>);
}

export function withCode(text: string): ComponentChildren[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? <code key={`${index}`}>{part}</code> : part));
}

interface FieldsProps {
  readonly of: Schema;
  /** What the addresses of the fields begin with; without it they have none. */
  readonly at?: string;
}

/** The fields of an object, and of what they contain. */
export function Fields({ of, at }: FieldsProps) {
  return (
    <>
      <ul class={styles['members']}>
        {fieldsOf(of).map((field) => (
          <Member key={field.name} {...field} anchor={at && `${at}.${field.name}`} />
        ))}
      </ul>
      {alternativesOf(of).map((schema) => (
        <Fold key={typeOf(schema)} title={<code>{typeOf(schema)}</code>}>
          <Prose text={schema.description} />
          <Fields of={schema} />
        </Fold>
      ))}
    </>
  );
}

interface MemberProps extends Omit<Parameter, 'in'> {
  /** The control that takes its value, and the id of that. */
  readonly children?: ComponentChildren;
  readonly id?: string;
  /** The end of its address. */
  readonly anchor?: string | undefined;
}

/** A field or a parameter: its name, its type, what it means and what it has to be. */
export function Member({ name, required, description, schema = {}, children, id, anchor }: MemberProps) {
  const hasInner = fieldsOf(schema).length > 0 || alternativesOf(schema).length > 0;
  return (
    <li {...(anchor !== undefined && targetAt(anchor))}>
      <p class={styles['member']}>
        {id === undefined ? <code>{name}</code> : <label for={id}>{name}</label>}
        <small>{typeOf(schema)}</small>
        {required && <small class="warning">required</small>}
        {anchor !== undefined && (
          <a class={styles['anchor']} href={hrefOf(partOf(anchor))} aria-label={`Link to ${name}`}>
            #
          </a>
        )}
      </p>
      <Prose text={description ?? schema.description} />
      <Rules of={schema} />
      {children}
      {hasInner && (
        <Fold title="Fields">
          <Fields of={schema} />
        </Fold>
      )}
    </li>
  );
}

/** What an element to which an address leads has: the keyboard goes on from there. */
export function targetAt(anchor: string) {
  const id = partOf(anchor);
  return { id, tabIndex: -1, class: place.value === id ? styles['target'] : '' };
}

const LIMITS = {
  minimum: 'Minimum',
  maximum: 'Maximum',
  minLength: 'Min length',
  maxLength: 'Max length',
  minItems: 'Min items',
  maxItems: 'Max items',
} as const;

function Rules({ of }: { readonly of: Schema }) {
  const { enum: choices, default: usual, pattern, ...limits } = of;
  const rules = [
    ...(choices ? [`One of ${choices.map((value) => `\`${String(value)}\``).join(', ')}`] : []),
    ...('default' in of ? [`Default \`${String(usual)}\``] : []),
    ...Object.entries(LIMITS).flatMap(([name, title]) =>
      name in limits ? `${title} ${String(limits[name as keyof typeof LIMITS])}` : [],
    ),
  ];
  return (
    (rules.length > 0 || pattern !== undefined) && (
      <div class={styles['rules']}>
        {rules.map((rule) => (
          <small key={rule}>{withCode(rule)}</small>
        ))}
        {pattern !== undefined && (
          <Fold title="Pattern">
            <code>{pattern}</code>
          </Fold>
        )}
      </div>
    )
  );
}
