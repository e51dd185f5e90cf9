import { Signal } from '@preact/signals';
import { texts } from '../../texts.ts';
import { IconButton } from './button.tsx';
import { DarkIcon, LightIcon, SystemIcon } from '../icons.tsx';

/** Where the choice is kept, for all tabs. */
const KEY = 'plant-store-theme';

const THEMES = ['system', 'light', 'dark'] as const;
const ICONS = { system: SystemIcon, light: LightIcon, dark: DarkIcon };

const theme = new Signal(THEMES.find((name) => name === localStorage.getItem(KEY)) ?? 'system');

theme.subscribe((name) => {
  document.documentElement.dataset['theme'] = name;
  localStorage.setItem(KEY, name);
});

/** Switches between the colours of the system, light and dark. */
export function ThemeSwitch() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  const label = texts.theme(theme.value);
  return <IconButton icon={ICONS[theme.value]} label={label} onClick={() => (theme.value = next)} />;
}
