import { useEffect, useState } from 'preact/hooks';
import { hold } from './service/connection.ts';
import { findIdentityProvider, type IdentityProvider, signInAt } from './service/identity-provider.ts';
import { isToken, signIn, token } from './service/session.ts';
import { texts } from './texts.ts';
import { Dialog } from './ui/dialog.tsx';
import { Field } from './ui/field.tsx';
import { useValue } from './ui/observable.ts';

/** Asks for a token when there is none, or when the one there was is not valid; what is open stays open behind it. */
export function SignIn() {
  const held = useValue(hold);
  const isMissing = useValue(token) === undefined;
  return isMissing || held?.reason === 'token' ? (
    <SignInDialog refusal={isMissing ? undefined : held?.message} />
  ) : null;
}

/** @param props.refusal why the token that there was is not valid any more. */
function SignInDialog({ refusal }: { readonly refusal: string | undefined }) {
  const [secret, setSecret] = useState('');
  const [isKept, setIsKept] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [provider, setProvider] = useState<IdentityProvider>();
  useEffect(() => {
    findIdentityProvider().then(setProvider, () => undefined);
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const pasted = secret.trim().replace(/^bearer +/i, '');
    if (!isToken(pasted)) return setProblem(texts.signIn.noToken);
    setSecret('');
    return signIn(pasted, isKept);
  };
  const signInThere = (there: IdentityProvider) => {
    setProblem(undefined);
    signInAt(there).then(
      (issued) => signIn(issued, isKept),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <Dialog title={texts.signIn.title}>
      <form onSubmit={submit}>
        <p>{refusal === undefined ? texts.signIn.intro : texts.signIn.again}</p>
        <Field
          label={texts.signIn.token}
          kind="password"
          value={secret}
          problem={problem ?? refusal}
          hasFocus
          onInput={(typed) => {
            setSecret(typed);
            setProblem(undefined);
          }}
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
          {provider && (
            <button type="button" onClick={() => signInThere(provider)}>
              {texts.signIn.at(new URL(provider.issuer).host)}
            </button>
          )}
          <button type="submit" class="primary">
            {texts.signIn.title}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
