import { access, type AccessToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { TableHead } from '../ui/table-head.tsx';
import styles from './token-table.module.css';

interface TokenTableProps {
  readonly tokens: readonly AccessToken[];
  readonly isLoading: boolean;
  readonly onRevoke: (token: AccessToken) => void;
}

/** Milliseconds before its end from which on a token is said to end soon. */
const SOON_MS = 14 * 86_400_000;

/** Access tokens, newest first; those that have ended come last. */
export function TokenTable({ tokens, isLoading, onRevoke }: TokenTableProps) {
  // The button of a token goes with its revocation.
  useRescuedFocus([tokens]);
  const { titles, states, unused, revoke, revokeOne } = texts.tokens;
  return (
    <table class={`${styles['tokens']} cards`} aria-busy={isLoading}>
      <TableHead titles={Object.values(titles)} hasActions />
      <tbody>
        {tokens
          .toReversed()
          .toSorted((one, other) => Number(hasEnded(one)) - Number(hasEnded(other)))
          .map((token) => (
            <tr key={token.id} class={hasEnded(token) ? styles['ended'] : undefined}>
              <th scope="row">
                <bdi>{token.name}</bdi>{' '}
                {token.id === access.value?.id && <span class="tag">{texts.tokens.own}</span>}
                <code>{token.id}</code>
              </th>
              <td>
                {token.scopes.map((scope) => (
                  <span key={scope} class="tag">
                    {scope}
                  </span>
                ))}
              </td>
              <td>
                <span class={`${styles['state']} ${stateOf(token) === 'ending' ? styles['ending'] : ''}`}>
                  {states[stateOf(token)]}
                </span>{' '}
                {day(token.revokedAt ?? token.expiresAt)}
              </td>
              <td data-title={titles.used}>{day(token.lastUsedOn) || unused}</td>
              <td data-title={titles.made}>{day(token.createdAt)}</td>
              <td class={styles['actions']}>
                {!token.revokedAt && (
                  <button
                    type="button"
                    class="quiet danger"
                    aria-label={revokeOne(token.name)}
                    onClick={() => onRevoke(token)}
                  >
                    {revoke}
                  </button>
                )}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** What a token can be used for now. */
export function stateOf({
  expiresAt,
  revokedAt,
}: AccessToken): 'valid' | 'expires' | 'ending' | 'expired' | 'revoked' {
  if (revokedAt) return 'revoked';
  if (!expiresAt) return 'valid';
  const left = new Date(expiresAt).getTime() - Date.now();
  return left < 0 ? 'expired' : left < SOON_MS ? 'ending' : 'expires';
}

function hasEnded(token: AccessToken): boolean {
  return ['expired', 'revoked'].includes(stateOf(token));
}

/** A day in the words of the page's language: that of a moment is the user's, a day alone is one of UTC. */
export function day(moment: string | undefined): string {
  if (moment === undefined) return '';
  return new Date(moment).toLocaleDateString(document.documentElement.lang, {
    dateStyle: 'medium',
    timeZone: moment[10] ? undefined : 'UTC',
  });
}
