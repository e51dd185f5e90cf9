import { Signal } from '@preact/signals';
import { UNITS } from '../texts.ts';

const TICK_MS = 10_000;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const now = new Signal(Date.now());
setInterval(() => (now.value = Date.now()), TICK_MS);

/** A relative time; the exact one on hover or focus. */
export function Ago({ at }: { readonly at: string }) {
  const exact = new Date(at).toLocaleString();
  const ahead = new Date(at).getTime() - Math.max(now.value, Date.now());
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ahead) >= each) ?? (['second', Infinity] as const);
  return (
    <time dateTime={at} title={exact}>
      <span>{relative.format(Math.trunc(ahead / size), unit)}</span>
      <span>{exact}</span>
    </time>
  );
}
