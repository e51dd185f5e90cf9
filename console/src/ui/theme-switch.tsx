import { Signal } from '@preact/signals';
import { texts } from '../texts.ts';

/** Where the choice is kept, for all tabs. */
const KEY = 'plant-store-theme';

const THEMES = ['system', 'light', 'dark'] as const;

const theme = new Signal(THEMES.find((name) => name === localStorage.getItem(KEY)) ?? 'system');

theme.subscribe((name) => {
  document.documentElement.dataset['theme'] = name;
  localStorage.setItem(KEY, name);
});

/** Switches between the colours of the system, light and dark. */
export function ThemeSwitch() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  const label = texts.theme(theme.value);
  return (
    <button
      type="button"
      class="quiet icon"
      aria-label={label}
      title={label}
      onClick={() => (theme.value = next)}
    >
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
        {theme.value === 'dark' ? (
          <path d="M9 2a8 8 0 1 0 9 9 6.5 6.5 0 0 1-9-9z" />
        ) : (
          <>
            <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="2" />
            {theme.value === 'system' && <path d="M10 3a7 7 0 0 1 0 14z" />}
          </>
        )}
      </svg>
    </button>
  );
}
