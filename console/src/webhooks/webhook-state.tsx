import type { Webhook } from '../service/webhooks.ts';
import { texts } from '../texts.ts';
import { FailedIcon, Icon, OkIcon, PausedIcon, WarningIcon } from '../ui/icons.tsx';
import styles from './webhooks.module.css';

const STATES = {
  active: { icon: OkIcon, look: 'success' },
  failing: { icon: FailedIcon, look: 'danger' },
  paused: { icon: PausedIcon, look: 'warning' },
  off: { icon: WarningIcon, look: 'danger' },
} as const;

/** Whether a webhook delivers, by an icon and a word. */
export function State({ of: webhook }: { readonly of: Webhook }) {
  const state = stateOf(webhook);
  return (
    <span class={`${styles['state']} ${STATES[state].look}`}>
      <Icon of={STATES[state].icon} /> {texts.webhooks.states[state]}
    </span>
  );
}

/** The state of a webhook; an active one whose last request has failed is failing. */
export function stateOf({ state, lastFailureAt, lastSuccessAt = '' }: Webhook): keyof typeof STATES {
  if (state !== 'active') return state === 'paused' ? 'paused' : 'off';
  return lastFailureAt !== undefined && lastFailureAt > lastSuccessAt ? 'failing' : 'active';
}

export function countBehind({ behind }: Webhook): string {
  return behind === 10_000 ? '10,000 or more' : behind.toLocaleString();
}

/** A moment in the words of the page's language. */
export function moment(at: string | undefined): string | undefined {
  return at && new Date(at).toLocaleString(document.documentElement.lang);
}
