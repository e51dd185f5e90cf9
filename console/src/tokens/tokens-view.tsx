import { useState } from 'preact/hooks';
import { type AccessToken, listTokens } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { CreatedIcon, Icon } from '../ui/icons.tsx';
import { LoadFailure } from '../ui/messages/notice.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import { NewToken, RevokeToken } from './token-dialogs.tsx';
import { TokenTable } from './token-table.tsx';

/** The access tokens, and what can be done with them. */
export function TokensView() {
  const tokens = useLoaded(listTokens, []);
  const [task, setTask] = useState<AccessToken | 'make'>();
  const end = (hasChanged: boolean) => {
    setTask(undefined);
    if (hasChanged) tokens.reload();
  };
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.tokens}</h1>
      <div class="tools">
        <p class="soft">{texts.tokens.intro}</p>
        <button type="button" class="primary" onClick={() => setTask('make')}>
          <Icon of={CreatedIcon} />
          {texts.tokens.add}
        </button>
      </div>
      <LoadFailure of={tokens} />
      {!tokens.value && tokens.isLoading && <p class="empty">{texts.loading}</p>}
      {tokens.value && (
        <div class="panel sheet">
          <TokenTable tokens={tokens.value} isLoading={tokens.isLoading} onRevoke={setTask} />
        </div>
      )}
      {task === 'make' && <NewToken onEnd={end} />}
      {typeof task === 'object' && <RevokeToken token={task} onEnd={end} />}
    </>
  );
}
