import { texts } from '../../texts.ts';
import { IconButton } from './button.tsx';
import { CopyIcon } from '../icons.tsx';
import { toast } from '../messages/message.tsx';

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
    <IconButton icon={CopyIcon} label={label} onClick={() => void copy(text).then((told) => toast(told))} />
  );
}
