import { useState } from 'preact/hooks';
import { Refusal } from '../service/connection.ts';
import { type AccessToken, revokeToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { FormDialog, Problem } from '../ui/form-dialog.tsx';
import { say } from '../ui/message.tsx';

interface RevokeTokenProps {
  readonly token: AccessToken;
  readonly isOwn: boolean;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Revokes a token after asking, and once more when nobody could make another one afterwards. */
export function RevokeToken({ token: { id, name }, isOwn, onEnd }: RevokeTokenProps) {
  const [isLastAdmin, setIsLastAdmin] = useState(false);
  const { lastAdmin, revoke, revokeAllTheSame, revokeIntro, revokeOne, revokeOwn, revoked } = texts.tokens;
  const work = async () => {
    try {
      await revokeToken(id, isLastAdmin);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
      return setIsLastAdmin(true);
    }
    say(revoked(name));
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
          <p role="alert">{isLastAdmin ? lastAdmin : isOwn ? revokeOwn : revokeIntro}</p>
          <Problem text={problem} />
        </>
      )}
    </FormDialog>
  );
}
