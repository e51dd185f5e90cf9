import { CircleCheck, CirclePause, CircleX, TriangleAlert } from 'lucide';
import type { Webhook } from '../../../clients/typescript/src/contract.ts';
import { ask } from '../service/connection.ts';
import { number } from '../texts.ts';
import { Icon } from '../ui/button.tsx';
import styles from './webhooks.module.css';

const STATES = {
  active: { name: 'Active', icon: CircleCheck, look: 'success' },
  failing: { name: 'Failing', icon: CircleX, look: 'danger' },
  paused: { name: 'Paused', icon: CirclePause, look: 'warning' },
  off: { name: 'Off', icon: TriangleAlert, look: 'danger' },
} as const;

/** Reads all webhooks, oldest first. */
export async function listWebhooks(signal: AbortSignal): Promise<readonly Webhook[]> {
  return ask('GET', 'webhooks', { signal });
}

/** Whether something is delivered, by an icon and a word. */
export function State({ of, word }: Readonly<{ of: keyof typeof STATES; word?: string | number }>) {
  const { name, icon, look } = STATES[of];
  return (
    <span class={`${styles['state']} ${look}`}>
      <Icon of={icon} /> {word ?? name}
    </span>
  );
}

/** The state of a webhook; an active one whose last request has failed is failing. */
export function stateOf({ state, lastFailureAt = '', lastSuccessAt = '' }: Webhook): keyof typeof STATES {
  if (state !== 'active') return state === 'paused' ? 'paused' : 'off';
  return lastFailureAt > lastSuccessAt ? 'failing' : 'active';
}

/** What needs somebody, in a few words; undefined while all is well. */
export function problemOf(webhook: Webhook): string | undefined {
  const state = stateOf(webhook);
  if (state !== 'active') return STATES[state].name;
  return webhook.behind > MOST_BEHIND ? `${countBehind(webhook)} behind` : undefined;
}

/** Changes that a webhook has not delivered yet while all is well. */
const MOST_BEHIND = 100;

export function countBehind({ behind }: Webhook): string {
  return behind === 10_000 ? '10,000 or more' : number(behind);
}

/** A moment in the words of the page's language. */
export function moment(at: string | undefined): string {
  return at === undefined ? 'Never' : new Date(at).toLocaleString(document.documentElement.lang);
}
