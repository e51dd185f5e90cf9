import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlantFilter } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { go, route } from '../ui/route.ts';

/** Milliseconds after the last key until the list follows. */
const PATIENCE_MS = 250;

interface FilterBarProps {
  readonly filter: PlantFilter;
  readonly children: ComponentChildren;
}

/** The filter of the list. The address has it, and one entry of the history for all that is typed in one go. */
export function FilterBar({ filter, children }: FilterBarProps) {
  const [typed, setTyped] = useState(filter);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(filter), [filter.name, filter.tag]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const type = (part: PlantFilter) => {
    const changed = { ...typed, ...part };
    setTyped(changed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const query = Object.fromEntries(Object.entries(changed).filter(([, value]) => value));
      go('plants', query, { state: { isTyped: true }, isReplacement: route.value.state['isTyped'] === true });
    }, PATIENCE_MS);
  };
  const input = (name: keyof PlantFilter, label: string) => (
    <label>
      <span>{label}</span>
      <input
        type="search"
        dir="auto"
        autoComplete="off"
        spellcheck={false}
        value={typed[name] ?? ''}
        onInput={({ currentTarget }) => type({ [name]: currentTarget.value })}
      />
    </label>
  );
  return (
    <form class="tools" role="search" onSubmit={(event) => event.preventDefault()}>
      {input('name', texts.plants.namePrefix)}
      {input('tag', texts.plants.tag)}
      {children}
    </form>
  );
}
