import { useState } from 'preact/hooks';
import { access } from '../service/access.ts';
import { type AccessToken, type IssuedAccessToken, listTokens } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { LoadFailure } from '../ui/load-failure.tsx';
import { useValue } from '../ui/observable.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { NewToken } from './new-token.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { ShownSecret } from './shown-secret.tsx';

/** The access tokens, and what can be done with them. */
export function TokensView() {
  const tokens = useLoaded(listTokens, []);
  const own = useValue(access)?.id;
  const [isMaking, setIsMaking] = useState(false);
  const [issued, setIssued] = useState<IssuedAccessToken>();
  const [revoked, setRevoked] = useState<AccessToken>();
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.tokens}</h1>
      <div class="tools">
        <p>{texts.tokens.intro}</p>
        <button type="button" class="primary" onClick={() => setIsMaking(true)}>
          {texts.tokens.add}
        </button>
      </div>
      <LoadFailure of={tokens} />
      {!tokens.value && tokens.isLoading && <p class="empty">{texts.loading}</p>}
      <ul class="cards" aria-busy={tokens.isLoading}>
        {tokens.value?.toReversed().map((token) => (
          <li key={token.id}>
            <h2>
              <bdi>{token.name}</bdi> {token.id === own && <span class="tag">{texts.tokens.own}</span>}
            </h2>
            <p>
              {token.scopes.map((scope) => (
                <span key={scope} class="tag">
                  {scope}
                </span>
              ))}
            </p>
            <p class="soft">{stateOf(token)}</p>
            {!token.revokedAt && (
              <button
                type="button"
                class="danger"
                aria-label={texts.tokens.revokeOne(token.name)}
                onClick={() => setRevoked(token)}
              >
                {texts.tokens.revoke}
              </button>
            )}
          </li>
        ))}
      </ul>
      {isMaking && (
        <NewToken
          onEnd={(token) => {
            setIsMaking(false);
            setIssued(token);
          }}
        />
      )}
      {issued && (
        <ShownSecret
          token={issued}
          onEnd={() => {
            setIssued(undefined);
            tokens.reload();
          }}
        />
      )}
      {revoked && (
        <RevokeToken
          token={revoked}
          isOwn={revoked.id === own}
          onEnd={(hasChanged) => {
            setRevoked(undefined);
            if (hasChanged) tokens.reload();
          }}
        />
      )}
    </>
  );
}

function stateOf({ id, createdAt, expiresAt, revokedAt, lastUsedOn }: AccessToken): string {
  const { made, revokedOn, expired, expires, never, used, unused } = texts.tokens;
  const end = revokedAt
    ? revokedOn(day(revokedAt))
    : expiresAt
      ? (new Date(expiresAt) < new Date() ? expired : expires)(day(expiresAt))
      : never;
  return [id, made(day(createdAt)), end, lastUsedOn ? used(day(lastUsedOn)) : unused].join(' · ');
}

/** A day in the words of the page's language: that of a moment is the user's, a day alone is one of UTC. */
function day(moment: string): string {
  return new Date(moment).toLocaleDateString(document.documentElement.lang, {
    dateStyle: 'medium',
    timeZone: moment[10] ? undefined : 'UTC',
  });
}
