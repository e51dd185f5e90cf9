import { useEffect, useState } from 'preact/hooks';
import { retryState } from './service/connection.ts';
import { findIdentityProvider, type IdentityProvider, signInAt } from './service/identity-provider.ts';
import { isToken, session, signIn } from './service/session.ts';
import { checkToken } from './service/tokens.ts';
import { texts } from './texts.ts';
import { FormDialog } from './ui/messages/dialog.tsx';
import { Field } from './ui/controls/field.tsx';

/** Asks for a token when there is none, or when the one there was is not valid; what is open stays open behind it. */
export function SignIn() {
  const isMissing = session.value === undefined;
  return isMissing || retryState.value?.reason === 'token' ? <SignInDialog isAgain={!isMissing} /> : null;
}

interface SignInDialogProps {
  /** Whether the token that there was is not valid any more. */
  readonly isAgain?: boolean;
  /** Called when the user leaves; undefined means that he cannot. */
  readonly onLeave?: () => void;
}

export function SignInDialog({ isAgain = false, onLeave }: SignInDialogProps) {
  const [secret, setSecret] = useState('');
  const [isKept, setIsKept] = useState(false);
  const [provider, setProvider] = useState<IdentityProvider>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    findIdentityProvider().then(setProvider, () => undefined);
  }, []);
  const enter = async (token: string) => {
    await checkToken(token);
    signIn(token, isKept);
  };
  const work = async () => {
    setFailure(undefined);
    const pasted = secret.trim().replace(/^bearer +/i, '');
    if (!isToken(pasted)) throw new Error(texts.signIn.noToken);
    await enter(pasted);
  };
  const other = provider && {
    label: texts.signIn.at(new URL(provider.issuer).host),
    // Nobody can tell when its window is closed: meanwhile a token can be pasted.
    work: async () => {
      setFailure(undefined);
      signInAt(provider)
        .then(enter)
        .catch((error: Error) => setFailure(error.message));
    },
  };
  return (
    <FormDialog
      title={texts.signIn.title}
      submit={texts.signIn.title}
      work={work}
      other={other}
      onLeave={onLeave}
    >
      {(problem) => (
        <>
          <p>{isAgain ? texts.signIn.again : texts.signIn.intro}</p>
          <Field
            label={texts.signIn.token}
            kind="password"
            value={secret}
            problem={problem ?? failure}
            hint={texts.signIn.hint}
            hasFocus
            onInput={setSecret}
          />
          <label class="row">
            <input type="checkbox" checked={isKept} onChange={() => setIsKept(!isKept)} />
            {texts.signIn.keep}
          </label>
        </>
      )}
    </FormDialog>
  );
}
