import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { alternativesOf, fieldsOf, type Parameter, type Schema, typeOf } from './contract.ts';

/** Text of the contract: paragraphs, and code in backquotes. */
export function Prose({ text = '' }: { readonly text?: string | undefined }) {
  return text.split('\n\n').map((paragraph) => <p key={paragraph}>{withCode(paragraph)}</p>);
}

export function withCode(text: string): ComponentChildren[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? <code key={`${index}`}>{part}</code> : part));
}

/** Something to open, which is made when it is: a schema may contain itself. */
export function Fold({ title, children }: Record<'title' | 'children', ComponentChildren>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}

/** The fields of an object, and of what they contain. */
export function Fields({ of }: { readonly of: Schema }) {
  return (
    <>
      <ul class="members">
        {fieldsOf(of).map((field) => (
          <Member key={field.name} {...field} />
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
  readonly control?: ComponentChildren;
  readonly id?: string;
}

/** A field or a parameter: its name, its type, what it means and what it has to be. */
export function Member({ name, required, description, schema = {}, control, id }: MemberProps) {
  const hasInner = fieldsOf(schema).length > 0 || alternativesOf(schema).length > 0;
  return (
    <li>
      <p class="member">
        {id === undefined ? <code>{name}</code> : <label for={id}>{name}</label>}
        <small>{typeOf(schema)}</small>
        {required && <small class="warning">{texts.docs.required}</small>}
      </p>
      <Prose text={description ?? schema.description} />
      <Rules of={schema} />
      {control}
      {hasInner && (
        <Fold title={texts.docs.fields}>
          <Fields of={schema} />
        </Fold>
      )}
    </li>
  );
}

/** What a value has to be beside its type. */
function Rules({ of }: { readonly of: Schema }) {
  const { enum: values, ...limits } = texts.docs.rules;
  const rules = Object.entries(limits).flatMap(([name, say]) =>
    name in of ? say(of[name as keyof Schema]) : [],
  );
  if (of.enum) rules.unshift(values(of.enum));
  return (
    rules.length > 0 && (
      <p class="rules">
        {rules.map((rule) => (
          <small key={rule}>{withCode(rule)}</small>
        ))}
      </p>
    )
  );
}
