import { useEffect, useState } from 'preact/hooks';
import { retryState } from './service/connection.ts';
import { findIdentityProvider, type IdentityProvider, signInAt } from './service/identity-provider.ts';
import { isToken, session, signIn } from './service/session.ts';
import { checkToken } from './service/tokens.ts';
import { texts } from './texts.ts';
import { Button } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { Field } from './ui/field.tsx';

/** Asks for a token when there is none, or when the one there was is not valid; what is open stays open behind it. */
export function SignIn() {
  const isMissing = session.value === undefined;
  return isMissing || retryState.value?.reason === 'token' ? <SignInDialog isAgain={!isMissing} /> : null;
}

interface SignInDialogProps {
  /** Whether the token that there was is not valid any more. */
  readonly isAgain?: boolean;
  /** Called when the user leaves; undefined means that he cannot. */
  readonly onClose?: () => void;
}

export function SignInDialog({ isAgain = false, onClose }: SignInDialogProps) {
  const [secret, setSecret] = useState('');
  const [isKept, setIsKept] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const [provider, setProvider] = useState<IdentityProvider>();
  useEffect(() => {
    findIdentityProvider().then(setProvider, () => undefined);
  }, []);
  const enter = async (token: string) => {
    if (isBusy) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      await checkToken(token);
      signIn(token, isKept);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setIsBusy(false);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const pasted = secret.trim().replace(/^bearer +/i, '');
    if (isToken(pasted)) void enter(pasted);
    else setProblem(texts.signIn.noToken);
  };
  return (
    <Dialog title={texts.signIn.title} {...(onClose && { onClose })}>
      <form onSubmit={submit}>
        <p>{isAgain ? texts.signIn.again : texts.signIn.intro}</p>
        <Field
          label={texts.signIn.token}
          kind="password"
          value={secret}
          problem={problem}
          hint={texts.signIn.hint}
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
            <button
              type="button"
              onClick={() => {
                setProblem(undefined);
                signInAt(provider).then(enter, (error: Error) => setProblem(error.message));
              }}
            >
              {texts.signIn.at(new URL(provider.issuer).host)}
            </button>
          )}
          <Button type="submit" class="primary" isBusy={isBusy}>
            {texts.signIn.title}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
