import { Signal } from '@preact/signals';
import { texts } from '../texts.ts';
import { toast, toastFailure } from '../ui/messages/message.tsx';
import { go, route } from '../ui/route.ts';

const PATIENCE_MS = 60_000;

/** Background task status, for the title and the navigation. */
export const activity = new Signal<string | undefined>(undefined);

let busy = 0;

addEventListener('beforeunload', (event) => busy > 0 && event.preventDefault());

/** Runs a task; the browser asks before it closes the page. */
export async function whileBusy<Value>(work: () => Promise<Value>): Promise<Value> {
  busy += 1;
  return work().finally(() => (busy -= 1));
}

/** Reports the end of a transfer to a user of another view or tab. */
export function announceEnd(text: string, state: 'done' | 'failed'): void {
  activity.value = undefined;
  const tell = state === 'done' ? toast : toastFailure;
  if (route.value.view !== 'transfer') tell(text, { label: texts.show, run: () => go('transfer') });
  if (!document.hidden) return;
  activity.value = state === 'done' ? 'Done' : 'Failed';
  addEventListener('visibilitychange', () => (activity.value = undefined), { once: true });
}

/** Downloads a file. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), PATIENCE_MS);
}
