import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { SearchIcon, TagIcon } from '../../ui/icons.tsx';
import { go, route } from '../../ui/route.ts';
import { SearchField } from '../../ui/controls/search-field.tsx';
import styles from './filter-bar.module.css';
import type { PlantQuery } from './find-plants.ts';

/** Milliseconds after the last key until the list follows. */
const PATIENCE_MS = 250;

type Typed = Pick<PlantQuery, 'search' | 'tag'>;

interface FilterBarProps {
  readonly query: PlantQuery;
  /** The field for words. */
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
  const input = (name: keyof Typed) => ({
    value: typed[name] ?? '',
    onInput: (value: string) => type({ [name]: value }),
    onChange: rest,
  });
  return (
    <form role="search" class={`row ${styles['bar']}`} onSubmit={(event) => event.preventDefault()}>
      <SearchField
        {...input('search')}
        icon={SearchIcon}
        label={texts.plants.search}
        placeholder={texts.plants.searchHint}
        field={field}
        class={styles['words']}
      />
      <SearchField
        {...input('tag')}
        icon={TagIcon}
        label={texts.plants.tag}
        list="tags"
        class={styles['tag']}
      />
      {children}
    </form>
  );
}
