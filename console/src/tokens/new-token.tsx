import { useState } from 'preact/hooks';
import { access } from '../service/access.ts';
import { createToken, type IssuedAccessToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog, Problem } from '../ui/form-dialog.tsx';
import { useValue } from '../ui/observable.ts';

interface NewTokenProps {
  readonly onEnd: (issued: IssuedAccessToken | undefined) => void;
}

/** Makes a token with some of the scopes that the user has. */
export function NewToken({ onEnd }: NewTokenProps) {
  const offered = useValue(access)?.scopes ?? [];
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set());
  const [lastDay, setLastDay] = useState('');
  const work = async () => {
    // To the end of the day in the time of the user.
    const expiresAt = lastDay === '' ? {} : { expiresAt: new Date(`${lastDay}T23:59:59`).toISOString() };
    onEnd(await createToken({ name, scopes: [...scopes], ...expiresAt }));
  };
  return (
    <FormDialog
      title={texts.tokens.add}
      submit={texts.tokens.submit}
      work={work}
      onLeave={() => onEnd(undefined)}
    >
      {(problem) => (
        <>
          <Field
            label={texts.plants.name}
            value={name}
            hint={texts.tokens.nameHint}
            hasFocus
            onInput={setName}
          />
          <fieldset>
            <legend>{texts.tokens.scopes}</legend>
            {offered.map((scope) => (
              <label key={scope} class="choice">
                <input
                  type="checkbox"
                  checked={scopes.has(scope)}
                  onChange={() => setScopes(scopes.symmetricDifference(new Set([scope])))}
                />
                {scope}
              </label>
            ))}
          </fieldset>
          <Field
            label={texts.tokens.lastDay}
            kind="date"
            value={lastDay}
            hint={texts.tokens.lastDayHint}
            onInput={setLastDay}
          />
          <Problem text={problem} />
        </>
      )}
    </FormDialog>
  );
}
