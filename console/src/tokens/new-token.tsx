import { useState } from 'preact/hooks';
import { access } from '../service/access.ts';
import { createToken, type IssuedAccessToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { useValue } from '../ui/observable.ts';

interface NewTokenProps {
  readonly onEnd: (issued: IssuedAccessToken | undefined) => void;
}

/** Makes a token with some of the scopes that the user has. */
export function NewToken({ onEnd }: NewTokenProps) {
  const offered = useValue(access)?.scopes ?? [];
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [lastDay, setLastDay] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      // To the end of the day in the time of the user.
      const expiresAt = lastDay === '' ? undefined : new Date(`${lastDay}T23:59:59`).toISOString();
      onEnd(await createToken({ name, scopes: [...scopes], ...(expiresAt !== undefined && { expiresAt }) }));
    } catch (error) {
      setProblem((error as Error).message);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={texts.tokens.add} onClose={() => onEnd(undefined)}>
      <form onSubmit={(event) => void submit(event)}>
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
                checked={scopes.includes(scope)}
                onChange={({ currentTarget }) =>
                  setScopes(
                    currentTarget.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope),
                  )
                }
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
        <p class="problem" role="alert">
          {problem}
        </p>
        <footer>
          <button type="button" onClick={() => onEnd(undefined)}>
            {texts.cancel}
          </button>
          <Button type="submit" class="primary" isOff={isBusy}>
            {texts.tokens.submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
