import { Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { send } from '../service/connection.ts';
import { texts } from '../texts.ts';
import { toastFailure } from './messages/message.tsx';

type Parts = typeof import('../parts.ts');

const parts = new Signal<Parts | undefined>(undefined);

/** Loads the parts of the page that its first rows do not wait for. */
export async function loadParts(): Promise<void> {
  parts.value ??= await import('../parts.ts');
}

/** A part that is shown as soon as it is loaded. */
export function later<Props extends object>(pick: (parts: Parts) => ComponentType<Props>) {
  return (props: Props) => {
    useEffect(() => void loadParts().catch(toastMissing), []);
    const Part = parts.value && pick(parts.value);
    return Part ? <Part {...props} /> : null;
  };
}

function toastMissing(): void {
  const run = async () => {
    await send('GET', 'health/live');
    // Some browsers keep the failure of an import as long as they have the page.
    await loadParts().catch(() => location.reload());
  };
  toastFailure('This part of the console failed to load.', {
    label: texts.tryAgain,
    isUrgent: true,
    run: () => void run(),
  });
}
