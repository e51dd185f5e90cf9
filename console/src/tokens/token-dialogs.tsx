import { useState } from 'preact/hooks';
import { Refusal } from '../service/connection.ts';
import {
  access,
  type AccessToken,
  createToken,
  type IssuedAccessToken,
  revokeToken,
} from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Choices } from '../ui/controls/choices.tsx';
import { FormDialog, Problem } from '../ui/messages/dialog.tsx';
import { Field } from '../ui/controls/field.tsx';
import { toast } from '../ui/messages/message.tsx';
import { ShownSecret } from '../ui/controls/shown-secret.tsx';
import { day } from './token-table.tsx';

/** Makes a token with some of the scopes that the user has, and shows its secret, this once. */
export function NewToken({ onEnd }: { readonly onEnd: (hasChanged: boolean) => void }) {
  const { scopes: offered = [], name: ownName, expiresAt: ownEnd } = access.value ?? {};
  // Only an access token of the service makes none that ends later.
  const limit = ownName === undefined ? undefined : ownEnd;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set());
  const [lastDay, setLastDay] = useState('');
  const [issued, setIssued] = useState<IssuedAccessToken>();
  const work = async () => {
    // In the time of the user.
    const end = lastDay === '' ? {} : { expiresAt: new Date(`${lastDay}T23:59:59`).toISOString() };
    setIssued(await createToken({ name, scopes: [...scopes], ...end }));
  };
  const { problems } = texts.tokens;
  if (issued)
    return (
      <ShownSecret
        title={texts.tokens.issued(issued.name)}
        secret={issued.secret}
        onEnd={() => onEnd(true)}
      />
    );
  return (
    <FormDialog title={texts.tokens.add} submit={texts.tokens.submit} work={work} onLeave={onEnd}>
      {(problem, field) => (
        <>
          <Field
            label={texts.plants.name}
            value={name}
            hint={texts.tokens.nameHint}
            problem={field === 'name' ? problems.name : undefined}
            hasFocus
            onInput={setName}
          />
          <Choices
            legend={texts.tokens.scopes}
            offered={offered}
            meanings={texts.tokens.meanings}
            selection={scopes}
            problem={field === 'scopes' ? problems.scopes : undefined}
            onChange={setScopes}
          />
          <Field
            label={texts.tokens.lastDay}
            kind="date"
            value={lastDay}
            hint={limit === undefined ? texts.tokens.lastDayHint : texts.tokens.limit(day(limit))}
            problem={field === 'expiresAt' ? problems.expiresAt : undefined}
            onInput={setLastDay}
          />
          {!Object.hasOwn(problems, field ?? '') && <Problem text={problem} />}
        </>
      )}
    </FormDialog>
  );
}

interface RevokeTokenProps {
  readonly token: AccessToken;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Revokes a token after asking, and once more when nobody could make another one afterwards. */
export function RevokeToken({ token: { id, name }, onEnd }: RevokeTokenProps) {
  const [isLastAdmin, setIsLastAdmin] = useState(false);
  const { lastAdmin, revoke, revokeAllTheSame, revokeIntro, revokeOne, revokeOwn, revoked } = texts.tokens;
  const work = async () => {
    try {
      await revokeToken(id, isLastAdmin);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
      return setIsLastAdmin(true);
    }
    toast(revoked(name));
    return onEnd(true);
  };
  return (
    <FormDialog
      title={revokeOne(name)}
      submit={isLastAdmin ? revokeAllTheSame : revoke}
      isDangerous
      work={work}
      onLeave={onEnd}
    >
      {(problem) => (
        <>
          <p role="alert">{isLastAdmin ? lastAdmin : id === access.value?.id ? revokeOwn : revokeIntro}</p>
          <Problem text={problem} />
        </>
      )}
    </FormDialog>
  );
}
