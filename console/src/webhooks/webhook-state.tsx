import { CircleCheck, CirclePause, CircleX, TriangleAlert } from '../ui/icons.js';
import type { Webhook } from '../../../clients/typescript/src/contract.ts';
import { Signal } from '@preact/signals';
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

/** The webhooks as they were last read by any view. */
export const latestWebhooks = new Signal<readonly Webhook[]>([]);

/** Reads all webhooks, oldest first. */
export async function listWebhooks(signal: AbortSignal): Promise<readonly Webhook[]> {
  return (latestWebhooks.value = await ask<readonly Webhook[]>('GET', 'webhooks', { signal }));
}

/** The state of a webhook or delivery, as an icon and a word. */
export function State({ of, word }: Readonly<{ of: keyof typeof STATES; word?: string | number }>) {
  const { name, icon, look } = STATES[of];
  return (
    <span class={`${styles['state']} ${look}`}>
      <Icon of={icon} /> {word ?? name}
    </span>
  );
}

/** The state of a webhook: failing if it is active and its last request failed. */
export function stateOf({ state, lastFailureAt = '', lastSuccessAt = '' }: Webhook): keyof typeof STATES {
  if (state !== 'active') return state === 'paused' ? 'paused' : 'off';
  return lastFailureAt > lastSuccessAt ? 'failing' : 'active';
}

/** The problem in a few words, if any. */
export function problemOf(webhook: Webhook): string | undefined {
  const state = stateOf(webhook);
  if (state !== 'active') return STATES[state].name;
  return webhook.behind > MOST_BEHIND ? `${countBehind(webhook)} behind` : undefined;
}

/** How a webhook that has a problem looks: one that is only behind is not broken. */
export function lookOf(webhook: Webhook): 'danger' | 'warning' {
  return STATES[stateOf(webhook)].look === 'danger' ? 'danger' : 'warning';
}

/** More pending changes than this are a problem. */
const MOST_BEHIND = 100;

export function countBehind({ behind }: Webhook): string {
  return behind === 10_000 ? '10,000 or more' : number(behind);
}
