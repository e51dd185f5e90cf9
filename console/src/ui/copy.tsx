import { texts } from '../texts.ts';
import { say } from './message.tsx';

/** Copies a text; returns what to tell the user. */
export async function copy(text: string): Promise<string> {
  try {
    // Pages that came over plain HTTP have no clipboard.
    await navigator.clipboard.writeText(text);
    return texts.copied;
  } catch {
    return texts.notCopied;
  }
}

interface CopyButtonProps {
  readonly label: string;
  readonly text: string;
}

/** A quiet button that copies a text. */
export function CopyButton({ label, text }: CopyButtonProps) {
  return (
    <button
      type="button"
      class="quiet icon"
      aria-label={label}
      title={label}
      onClick={() => void copy(text).then((told) => say(told))}
    >
      <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden="true">
        <path d="M7 5V2h10v11h-3M3 6h10v12H3z" fill="none" stroke="currentColor" stroke-width="1.6" />
      </svg>
    </button>
  );
}
