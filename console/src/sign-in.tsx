import { useEffect, useState } from 'preact/hooks';
import { retryState } from './service/connection.ts';
import { findIdentityProvider, type IdentityProvider, signInAt } from './service/identity-provider.ts';
import { isToken, session, signIn } from './service/session.ts';
import { checkToken } from './service/tokens.ts';
import { texts } from './texts.ts';
import { Field } from './ui/field.tsx';
import { FormDialog } from './ui/messages/dialog.tsx';

/** Asks for a token if there is none, or the current one is invalid. Open dialogs stay open under it. */
export function SignIn() {
  const isMissing = session.value === undefined;
  return isMissing || retryState.value?.reason === 'token' ? <SignInDialog isRenewal={!isMissing} /> : null;
}

function SignInDialog({ isRenewal }: { readonly isRenewal: boolean }) {
  const [provider, setProvider] = useState<IdentityProvider>();
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    findIdentityProvider().then(setProvider, () => undefined);
  }, []);
  const enter = async (token: string, form: FormData) => {
    await checkToken(token);
    signIn(token, form.has('isKept'));
  };
  const work = async (form: FormData) => {
    setFailure(undefined);
    const pasted = (form.get('token') as string).trim().replace(/^bearer +/i, '');
    if (!isToken(pasted)) throw new Error('Not a valid access token');
    await enter(pasted, form);
  };
  const other = provider && {
    label: `Sign in with ${new URL(provider.issuer).host}`,
    // The page cannot tell when that window is closed, so a token can be pasted meanwhile.
    work: async (form: FormData) => {
      setFailure(undefined);
      signInAt(provider)
        .then((token) => enter(token, form))
        .catch(setFailure);
    },
  };
  return (
    <FormDialog
      title={`${texts.signIn} to ${texts.title}`}
      submit={texts.signIn}
      blamed="token"
      failure={failure}
      work={work}
      other={other}
      onLeave={undefined}
    >
      <p>
        {isRenewal
          ? 'Your access has ended. Paste another access token to continue. Your input is kept.'
          : 'Paste the access token that you were given.'}
      </p>
      <Field
        label="Access token"
        name="token"
        kind="password"
        hint="Whoever runs the store gives it to you. If that is you: data/first-token has the first one."
        autoFocus
      />
      <label class="row">
        <input type="checkbox" name="isKept" />
        Keep me signed in on this browser
      </label>
    </FormDialog>
  );
}
