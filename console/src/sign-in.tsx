import { useState } from 'preact/hooks';
import { hold } from './service/connection.ts';
import { signIn, token } from './service/session.ts';
import { texts } from './texts.ts';
import { Dialog } from './ui/dialog.tsx';
import { Field } from './ui/field.tsx';
import { useValue } from './ui/observable.ts';

/** Asks for a token when there is none, or when the one there was is not valid; what is open stays open behind it. */
export function SignIn() {
  const held = useValue(hold);
  const isMissing = useValue(token) === undefined;
  const [secret, setSecret] = useState('');
  const [isKept, setIsKept] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (!isMissing && held?.reason !== 'token') return null;
  const submit = (event: Event) => {
    event.preventDefault();
    const pasted = secret.trim();
    setProblem(pasted === '' ? texts.signIn.missing : undefined);
    if (pasted === '') return;
    setSecret('');
    signIn(pasted, isKept);
  };
  return (
    <Dialog title={texts.signIn.title}>
      <form onSubmit={submit}>
        <p>{held?.reason === 'token' ? texts.signIn.again : texts.signIn.intro}</p>
        <Field
          label={texts.signIn.token}
          kind="password"
          value={secret}
          problem={problem ?? (held?.reason === 'token' ? held.message : undefined)}
          hasFocus
          onInput={setSecret}
        />
        <label class="choice">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => setIsKept(currentTarget.checked)}
          />
          {texts.signIn.keep}
        </label>
        <footer>
          <button type="submit" class="primary">
            {texts.signIn.submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
