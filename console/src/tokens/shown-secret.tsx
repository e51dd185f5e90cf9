import { useState } from 'preact/hooks';
import type { IssuedAccessToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';

interface ShownSecretProps {
  readonly token: IssuedAccessToken;
  readonly onEnd: () => void;
}

/** Shows the secret of a new token, this once. */
export function ShownSecret({ token: { name, secret }, onEnd }: ShownSecretProps) {
  const [copied, setCopied] = useState<string>();
  const copy = () =>
    navigator.clipboard.writeText(secret).then(
      () => setCopied(texts.tokens.copied),
      () => setCopied(texts.tokens.notCopied),
    );
  return (
    <Dialog title={texts.tokens.issued(name)}>
      <p>{texts.tokens.once}</p>
      <Field label={texts.tokens.secret} value={secret} isReadOnly hasFocus onInput={() => undefined}>
        <button type="button" onClick={() => void copy()}>
          {texts.tokens.copy}
        </button>
      </Field>
      <p role="status">{copied}</p>
      <footer>
        <button type="button" class="primary" onClick={onEnd}>
          {texts.tokens.kept}
        </button>
      </footer>
    </Dialog>
  );
}
