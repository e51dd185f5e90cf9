import { useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { copy } from './copy.tsx';
import { Dialog } from '../messages/dialog.tsx';
import { Field } from './field.tsx';

interface ShownSecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onEnd: () => void;
}

/** Shows a secret, this once: only the button leads away. */
export function ShownSecret({ title, secret, onEnd }: ShownSecretProps) {
  const [copied, setCopied] = useState<string>();
  return (
    <Dialog key="secret" title={title}>
      <p>{texts.secret.once}</p>
      <Field label={texts.secret.secret} value={secret} isReadOnly hasFocus>
        <button type="button" onClick={() => void copy(secret).then(setCopied)}>
          {texts.secret.copy}
        </button>
      </Field>
      <p role="status">{copied}</p>
      <footer>
        <button type="button" class="primary" onClick={onEnd}>
          {texts.secret.kept}
        </button>
      </footer>
    </Dialog>
  );
}
