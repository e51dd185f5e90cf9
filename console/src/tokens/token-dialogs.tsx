import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Refusal } from '../service/connection.ts';
import {
  access,
  type AccessToken,
  createToken,
  type IssuedAccessToken,
  revokeToken,
} from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { copy } from '../ui/copy.tsx';
import { Dialog, FormDialog, Problem } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { toast } from '../ui/message.tsx';
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
    const end = lastDay === '' ? {} : { expiresAt: endOf(lastDay, limit) };
    setIssued(await createToken({ name, scopes: [...scopes], ...end }));
  };
  const { problems } = texts.tokens;
  if (issued) return <ShownSecret token={issued} onEnd={() => onEnd(true)} />;
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
          <Scopes
            offered={offered}
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

interface ScopesProps {
  readonly offered: readonly string[];
  readonly selection: ReadonlySet<string>;
  readonly problem: string | undefined;
  readonly onChange: (selection: ReadonlySet<string>) => void;
}

function Scopes({ offered, selection, problem, onChange }: ScopesProps) {
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (problem !== undefined) group.current?.querySelector('input')?.focus();
  }, [problem]);
  return (
    <fieldset ref={group} aria-describedby={`${id}-problem`}>
      <legend>{texts.tokens.scopes}</legend>
      {offered.map((scope) => (
        <label key={scope} class="choice">
          <input
            type="checkbox"
            aria-label={scope}
            aria-describedby={`${id}-${scope}`}
            checked={selection.has(scope)}
            onChange={() => onChange(selection.symmetricDifference(new Set([scope])))}
          />
          {scope} <small id={`${id}-${scope}`}>{texts.tokens.meanings[scope]}</small>
        </label>
      ))}
      <small id={`${id}-problem`} class="problem" role="alert">
        {problem}
      </small>
    </fieldset>
  );
}

/** The end of a day in the time of the user, or of the token in use on its own last day. */
function endOf(lastDay: string, limit: string | undefined): string {
  const end = new Date(`${lastDay}T23:59:59`);
  const own = limit === undefined ? end : new Date(limit);
  return (own < end && own.toDateString() === end.toDateString() ? own : end).toISOString();
}

interface ShownSecretProps {
  readonly token: IssuedAccessToken;
  readonly onEnd: () => void;
}

function ShownSecret({ token: { name, secret }, onEnd }: ShownSecretProps) {
  const [copied, setCopied] = useState<string>();
  return (
    <Dialog key="secret" title={texts.tokens.issued(name)}>
      <p>{texts.tokens.once}</p>
      <Field label={texts.tokens.secret} value={secret} isReadOnly hasFocus>
        <button type="button" onClick={() => void copy(secret).then(setCopied)}>
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
