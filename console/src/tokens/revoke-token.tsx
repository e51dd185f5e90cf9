import { useState } from 'preact/hooks';
import { Refusal } from '../service/connection.ts';
import { type AccessToken, revokeToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/message.tsx';

interface RevokeTokenProps {
  readonly token: AccessToken;
  readonly isOwn: boolean;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Revokes a token after asking, and once more when nobody could make another one afterwards. */
export function RevokeToken({ token: { id, name }, isOwn, onEnd }: RevokeTokenProps) {
  const [isLastAdmin, setIsLastAdmin] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const revoke = async () => {
    setIsBusy(true);
    try {
      await revokeToken(id, isLastAdmin);
      say(texts.tokens.revoked(name));
      onEnd(true);
    } catch (error) {
      setIsBusy(false);
      if (error instanceof Refusal && error.status === 409) setIsLastAdmin(true);
      else setProblem((error as Error).message);
    }
  };
  return (
    <Dialog title={texts.tokens.revokeOne(name)} onClose={() => onEnd(false)}>
      <p role="alert">
        {isLastAdmin ? texts.tokens.lastAdmin : isOwn ? texts.tokens.revokeOwn : texts.tokens.revokeIntro}
      </p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <footer>
        <button type="button" autoFocus onClick={() => onEnd(false)}>
          {texts.cancel}
        </button>
        <Button class="danger primary" isOff={isBusy} onClick={() => void revoke()}>
          {isLastAdmin ? texts.tokens.revokeAllTheSame : texts.tokens.revoke}
        </Button>
      </footer>
    </Dialog>
  );
}
