import { type IconPath, Search, Tag } from '../../ui/icons.js';
import { type ComponentChildren, h, type RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { knownTags } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/button.tsx';
import { go, route } from '../../ui/route.ts';
import styles from './filter-bar.module.css';
import type { PlantQuery } from './find-plants.ts';

const PATIENCE_MS = 250;

/** The tag that plants have, whatever the case of its letters. */
function knownTag(typed: string): string | undefined {
  const known = [...knownTags.value];
  const folded = typed.trim().toLowerCase();
  return known.find((tag) => tag === typed) ?? known.find((tag) => tag.toLowerCase() === folded);
}

type Typed = Pick<PlantQuery, 'search' | 'tag'>;

interface FilterBarProps {
  readonly query: PlantQuery;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly children: ComponentChildren;
}

/** The search fields. The address contains the search; continuous typing makes one history entry. */
export function FilterBar({ query: { search, tag }, field, children }: FilterBarProps) {
  const [typed, setTyped] = useState<Typed>({});
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isAtRest = useRef(false);
  const stop = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  useEffect(() => {
    // Newer input wins over the address.
    if (timer.current === undefined) setTyped({ ...(search && { search }), ...(tag && { tag }) });
  }, [search, tag]);
  useEffect(() => stop, []);

  const follow = (changed: Typed) => {
    stop();
    const { search: words = '', tag: label = '' } = changed;
    const query = {
      ...(words && { search: words }),
      ...(label && { tag: knownTag(label) ?? label }),
    };
    const isReplacement = route.value.state['isTyped'] === true && !isAtRest.current;
    isAtRest.current = false;
    go('plants', query, { state: { isTyped: true }, isReplacement });
  };
  const type = (part: Typed) => {
    const changed = { ...typed, ...part };
    setTyped(changed);
    stop();
    // Part of a tag finds nothing: only a whole one is followed before the user is done.
    if ('search' in part || !part.tag || knownTag(part.tag))
      timer.current = setTimeout(() => follow(changed), PATIENCE_MS);
  };
  const rest = () => {
    if (timer.current !== undefined || (typed.tag ?? '') !== (tag ?? '')) follow(typed);
    isAtRest.current = true;
  };
  /** A field labelled by an icon and a placeholder. */
  const fieldFor = (name: keyof Typed, icon: IconPath, attributes: object) => (
    <div class={styles[name]}>
      <Icon of={icon} />
      {h('input', {
        ...attributes,
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
    <form
      role="search"
      class={`row ${styles['bar']}`}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
        // The key would press what gets the focus.
        event.preventDefault();
        rest();
        document.querySelector<HTMLElement>('tbody th button')?.focus();
      }}
    >
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
