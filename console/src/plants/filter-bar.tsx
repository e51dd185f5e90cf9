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
  const isAtRest = useRef(false);
  const stop = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  useEffect(() => {
    // What has been typed since is newer than the address.
    if (timer.current === undefined) setTyped(filter);
  }, [filter.name, filter.tag]);
  useEffect(() => stop, []);

  const follow = (changed: PlantFilter) => {
    stop();
    const query = Object.fromEntries(Object.entries(changed).filter(([, value]) => value));
    const isReplacement = route.value.state['isTyped'] === true && !isAtRest.current;
    isAtRest.current = false;
    go('plants', query, { state: { isTyped: true }, isReplacement });
  };
  const type = (part: PlantFilter) => {
    const changed = { ...typed, ...part };
    setTyped(changed);
    stop();
    timer.current = setTimeout(() => follow(changed), PATIENCE_MS);
  };
  const rest = () => {
    if (timer.current !== undefined) follow(typed);
    isAtRest.current = true;
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
        onChange={rest}
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
