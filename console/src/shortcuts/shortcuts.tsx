import { Signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isOffered } from '../navigation.tsx';
import { command } from '../plants/commands.ts';
import { parseId } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/messages/dialog.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Icon, SearchIcon } from '../ui/icons.tsx';
import { addressOf } from '../ui/route.ts';
import styles from './shortcuts.module.css';

/** Where it is kept that single keys do nothing: who speaks to a computer may press them by accident (WCAG 2.1.4). */
const KEY = 'plant-store-keys';

const hasKeys = new Signal(localStorage.getItem(KEY) !== 'off');

/** What is open of what the keys open. */
const opened = new Signal<'goTo' | 'keys' | undefined>(undefined);

const openGoTo = () => (opened.value = 'goTo');
const openKeys = () => (opened.value = 'keys');
const close = () => (opened.value = undefined);

/** What single keys do. */
const KEYS: Readonly<Record<string, () => void>> = {
  '/': () => command((list) => list.search()),
  n: () => command((list) => list.open({})),
  s: () => command((list) => list.select()),
  '?': openKeys,
};

/** Listens to the keys, and shows what they open. */
export function Shortcuts() {
  // As soon as the page can be seen.
  useLayoutEffect(() => {
    const controller = new AbortController();
    addEventListener('keydown', listen, { signal: controller.signal });
    return () => controller.abort();
  }, []);
  if (opened.value === 'goTo') return <GoTo />;
  if (opened.value === undefined) return null;
  return (
    <Dialog key="keys" title={texts.keys.title} onClose={close}>
      <dl class={styles['keys']}>
        {texts.keys.all.map(([key, effect]) => (
          <div key={key} class="row">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <label class="row">
        <input
          type="checkbox"
          checked={hasKeys.value}
          onChange={({ currentTarget: { checked } }) => {
            hasKeys.value = checked;
            localStorage.setItem(KEY, checked ? 'on' : 'off');
          }}
        />
        {texts.keys.single}
      </label>
    </Dialog>
  );
}

/** Opens the way to any page or plant for those who do not know its keys. */
export function GoToButton() {
  return (
    <button type="button" class={styles['goTo']} title={texts.goTo.title} onClick={openGoTo}>
      <Icon of={SearchIcon} />
      <span>{texts.goTo.title}</span>
      <kbd>{texts.goTo.key}</kbd>
    </button>
  );
}

/** Leads to any page or plant by a few keys. */
function GoTo() {
  const [typed, setTyped] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const wanted = typed.trim();
  const places = Object.entries(texts.views)
    .filter(([view]) => isOffered(view))
    .map(([view, name]) => [addressOf(view), name] as const)
    .concat([['../docs', texts.reference]])
    .filter(([, name]) => name.toLowerCase().includes(wanted.toLowerCase()));
  const id = parseId(wanted);
  const search = [
    addressOf('plants', { search: wanted }),
    id === undefined ? texts.goTo.search(wanted) : texts.goTo.plant(id),
  ] as const;
  const links = () => [...(list.current?.querySelectorAll('a') ?? [])];
  /** Moves through the list with the arrow keys. */
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = links();
    const index = all.findIndex((link) => link === document.activeElement);
    all[Math.max(index + step, 0) % all.length]?.focus();
  };
  return (
    <Dialog key="goTo" title={texts.goTo.title} onClose={close}>
      <form
        onKeyDown={move}
        onSubmit={(event) => {
          event.preventDefault();
          links()[0]?.click();
        }}
      >
        <Field label={texts.goTo.label} value={typed} hasFocus onInput={setTyped} />
        <ul class={styles['places']} ref={list}>
          {[...places, ...(wanted ? [search] : [])].map(([address, name]) => (
            <li key={address}>
              <a href={address} target={address.startsWith('#') ? undefined : '_blank'} onClick={close}>
                {name}
              </a>
            </li>
          ))}
        </ul>
        <footer>
          <button type="button" class="quiet" onClick={openKeys}>
            {texts.keys.title}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function listen(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (document.querySelector('dialog') !== null) return;
  const isTyped = target instanceof Element && target.matches('textarea, select, input:not([type=checkbox])');
  const isSingle = hasKeys.value && !isTyped && !ctrlKey && !metaKey && !altKey;
  const isGoTo = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey;
  const run = isGoTo ? openGoTo : isSingle ? KEYS[key] : undefined;
  if (run === undefined) return;
  event.preventDefault();
  run();
}
