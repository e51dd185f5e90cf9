import { type IconNode, Search, Tag } from 'lucide';
import { type ComponentChildren, h, type RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/button.tsx';
import { go, route } from '../../ui/route.ts';
import styles from './filter-bar.module.css';
import type { PlantQuery } from './find-plants.ts';

const PATIENCE_MS = 250;

type Typed = Pick<PlantQuery, 'search' | 'tag'>;

interface FilterBarProps {
  readonly query: PlantQuery;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly children: ComponentChildren;
}

/** What the list is searched for. The address has it, and one entry of the history for all that is typed in one go. */
export function FilterBar({ query: { search, tag }, field, children }: FilterBarProps) {
  const [typed, setTyped] = useState<Typed>({});
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isAtRest = useRef(false);
  const stop = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  useEffect(() => {
    // What has been typed since is newer than the address.
    if (timer.current === undefined) setTyped({ ...(search && { search }), ...(tag && { tag }) });
  }, [search, tag]);
  useEffect(() => stop, []);

  const follow = (changed: Typed) => {
    stop();
    const query = Object.fromEntries(Object.entries(changed).filter(([, value]) => value));
    const isReplacement = route.value.state['isTyped'] === true && !isAtRest.current;
    isAtRest.current = false;
    go('plants', query, { state: { isTyped: true }, isReplacement });
  };
  const type = (part: Typed) => {
    const changed = { ...typed, ...part };
    setTyped(changed);
    stop();
    timer.current = setTimeout(() => follow(changed), PATIENCE_MS);
  };
  const rest = () => {
    if (timer.current !== undefined) follow(typed);
    isAtRest.current = true;
  };
  /** An icon and a placeholder say what a field is for. */
  const fieldFor = (name: keyof Typed, icon: IconNode, given: object) => (
    <div class={styles[name]}>
      <Icon of={icon} />
      {h('input', {
        ...given,
        type: 'search',
        value: typed[name] ?? '',
        dir: 'auto',
        autoComplete: 'off',
        spellcheck: false,
        onInput: ({ currentTarget: { value } }) => type({ [name]: value }),
        onChange: rest,
      })}
    </div>
  );
  return (
    <form role="search" class={`row ${styles['bar']}`} onSubmit={(event) => event.preventDefault()}>
      {fieldFor('search', Search, {
        ref: field,
        'aria-label': 'Search',
        placeholder: 'Search name, tag or ID',
      })}
      {fieldFor('tag', Tag, { list: 'tags', 'aria-label': texts.tag, placeholder: texts.tag })}
      {children}
    </form>
  );
}
