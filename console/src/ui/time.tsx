import { Signal } from '@preact/signals';
import { UNITS } from '../texts.ts';

const TICK_MS = 10_000;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const now = new Signal(Date.now());
setInterval(() => (now.value = Date.now()), TICK_MS);

/** A local date and time. */
export const moment = (at: string) => new Date(at).toLocaleString();

/** A date: of a timestamp in local time, of a plain date in UTC. */
export function day(at: string | undefined): string {
  if (at === undefined) return '';
  return new Date(at).toLocaleDateString(document.documentElement.lang, {
    dateStyle: 'medium',
    timeZone: at[10] ? undefined : 'UTC',
  });
}

/** A relative time; the exact one on hover or focus. */
export function Ago({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <>Never</>;
  const exact = moment(at);
  const ahead = new Date(at).getTime() - Math.max(now.value, Date.now());
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ahead) >= each) ?? (['second', Infinity] as const);
  return (
    <time dateTime={at} title={exact}>
      <span>{relative.format(Math.trunc(ahead / size), unit)}</span>
      <span>{exact}</span>
    </time>
  );
}
