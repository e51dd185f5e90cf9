import { Search } from '../ui/icons.js';
import { Signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { command, hasKeys } from '../plants/commands.ts';
import { filterOf } from '../plants/list/find-plants.ts';
import { PlantText } from '../plants/plant-text.tsx';
import { listPlants, type StoredPlant } from '../service/plants.ts';
import { may } from '../service/tokens.ts';
import { isolated, texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/messages/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { addressOf } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { availableViews } from '../views.ts';
import styles from './shortcuts.module.css';

/** Which shortcut dialog is open. */
const opened = new Signal<'goTo' | 'keys' | undefined>(undefined);

export const openGoTo = () => (opened.value = 'goTo');
const openKeys = () => (opened.value = 'keys');
const close = () => (opened.value = undefined);

const GO_TO = 'Go to';
const KEYBOARD = 'Keyboard shortcuts';

/** Plants shown at most, and how long the user pauses before they are asked for. */
const FOUND = 8;
const PATIENCE_MS = 150;

/** Actions with an address of their own: the address, the name, and the scope that they need. */
const ACTIONS = [
  [addressOf('plants', { id: 'new' }), 'Add a plant', 'plants:write'],
  [addressOf('tokens', { new: 'yes' }), 'Give access', 'admin'],
  [addressOf('webhooks', { new: 'yes' }), 'New webhook', 'admin'],
] as const;

const EFFECTS = [
  ['/', 'Search plants'],
  ['n', 'Add a plant'],
  ['s', 'Go to the actions for selected plants'],
  ['Ctrl Enter', 'Save and add another plant'],
  ['Ctrl K', 'Go to a page, an action or a plant'],
  ['Shift', 'Select a range of plants'],
  ['↑ ↓', 'Go to the row above or below'],
  ['← →', 'Go to the controls of the row'],
  ['x', 'Select the row'],
  ['e', 'Open the row'],
  ['?', 'Show keyboard shortcuts'],
] as const;

/** Actions of single keys. */
const KEYS: Readonly<Record<string, () => void>> = {
  '/': () => command((list) => list.search()),
  n: () => command((list) => list.open({})),
  s: () => command((list) => list.select()),
  '?': openKeys,
};

/** Handles the keys and shows their dialogs. */
export function Shortcuts() {
  // A layout effect: keys work from the first paint.
  useLayoutEffect(() => {
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  if (opened.value === 'goTo') return <GoTo />;
  if (opened.value === undefined) return null;
  return (
    <Dialog key="keys" title={KEYBOARD} onClose={close}>
      <dl class={styles['keys']}>
        {EFFECTS.map(([key, effect]) => (
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
          }}
        />
        Enable single-key shortcuts
      </label>
    </Dialog>
  );
}

/** Opens the “Go to” dialog. */
export function GoToButton() {
  return (
    <Button icon={Search} class={styles['goTo']} title={GO_TO} onClick={openGoTo}>
      <span>{GO_TO}</span>
      <kbd>Ctrl K</kbd>
    </Button>
  );
}

/** Plants for a text: by id, name or tag. It waits until the user pauses. */
async function firstPlants(query: string, signal: AbortSignal): Promise<readonly StoredPlant[]> {
  if (query === '' || !may('plants:read')) return [];
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  signal.throwIfAborted();
  return (await listPlants(filterOf({ search: query }), signal, { limit: FOUND })).plants;
}

/** Finds pages, actions and plants. */
function GoTo() {
  const [typed, setTyped] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const query = typed.trim();
  const plants = useLoaded((signal) => firstPlants(query, signal), [query]);
  const pages = [
    ...availableViews().map(([view, { title }]) => [addressOf(view), title] as const),
    ['../docs/', texts.reference] as const,
    ...ACTIONS.filter(([, , scope]) => may(scope)),
  ].filter(([, name]) => name.toLowerCase().includes(query.toLowerCase()));
  const search = [addressOf('plants', { search: query }), `Search plants for “${isolated(query)}”`] as const;
  const found = (!plants.isLoading && plants.value) || [];
  const links = () => [...(list.current?.querySelectorAll('a') ?? [])];
  /** Moves the focus with the arrow keys. */
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = links();
    const index = all.findIndex((link) => link === document.activeElement);
    all[Math.max(index + step, 0) % all.length]?.focus();
  };
  return (
    <Dialog key="goTo" title={GO_TO} onClose={close}>
      <form
        onKeyDown={move}
        onSubmit={(event) => {
          event.preventDefault();
          links()[0]?.click();
        }}
      >
        <Field label="Page, name, tag or ID" value={typed} autoFocus onInput={setTyped} />
        <ul class={`links ${styles['pages']}`} ref={list}>
          {[...pages, ...(query ? [search] : [])].map(([address, name]) => (
            <li key={address}>
              <a href={address} target={address.startsWith('#') ? undefined : '_blank'} onClick={close}>
                {name}
              </a>
            </li>
          ))}
          {found.map((plant) => (
            <li key={String(plant.id)}>
              <a href={addressOf('plants', { id: String(plant.id) })} onClick={close}>
                <small>{String(plant.id)}</small> <PlantText text={plant.name} isLine />
              </a>
            </li>
          ))}
        </ul>
        <footer class="row">
          <Button label={KEYBOARD} class="quiet" onClick={openKeys} />
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
