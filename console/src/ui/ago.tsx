import { Signal } from '@preact/signals';
import { texts } from '../texts.ts';
import styles from './ago.module.css';

/** Milliseconds between two looks at the clock. */
const TICK_MS = 10_000;

const now = new Signal(Date.now());
setInterval(() => (now.value = Date.now()), TICK_MS);

/** How long ago a moment is, or until then; the exact time where the pointer or the focus is. */
export function Ago({ at }: { readonly at: string }) {
  const exact = new Date(at).toLocaleString();
  return (
    <time class={styles['ago']} dateTime={at} title={exact}>
      <span>{texts.ago(new Date(at).getTime() - Math.max(now.value, Date.now()))}</span>
      <span>{exact}</span>
    </time>
  );
}
