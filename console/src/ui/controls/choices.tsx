import { useEffect, useId, useRef } from 'preact/hooks';

interface ChoicesProps {
  readonly legend: string;
  readonly offered: readonly string[];
  /** What each of them means, beside it. */
  readonly meanings: Readonly<Record<string, string>>;
  readonly selection: ReadonlySet<string>;
  /** What is wrong with the choice. */
  readonly problem: string | undefined;
  readonly onChange: (selection: ReadonlySet<string>) => void;
}

/** A group of checkboxes. */
export function Choices({ legend, offered, meanings, selection, problem, onChange }: ChoicesProps) {
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (problem !== undefined) group.current?.querySelector('input')?.focus();
  }, [problem]);
  return (
    <fieldset ref={group} aria-describedby={`${id}-problem`}>
      <legend>{legend}</legend>
      {offered.map((name) => (
        <label key={name} class="row">
          <input
            type="checkbox"
            aria-label={name}
            aria-describedby={`${id}-${name}`}
            checked={selection.has(name)}
            onChange={() => onChange(selection.symmetricDifference(new Set([name])))}
          />
          {name} <small id={`${id}-${name}`}>{meanings[name]}</small>
        </label>
      ))}
      <small id={`${id}-problem`} class="problem" role="alert">
        {problem}
      </small>
    </fieldset>
  );
}
