import { Plus } from '../ui/icons.js';
import { useState } from 'preact/hooks';
import type { IssuedToken, Token } from '../../../clients/typescript/src/contract.ts';
import { ask, Refusal, send } from '../service/connection.ts';
import { access, listTokens } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Choices, Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/messages/dialog.tsx';
import { toast } from '../ui/messages/message.tsx';
import { useRescuedFocus } from '../ui/messages/rescued-focus.ts';
import { Page } from '../ui/page.tsx';
import { beginAdding, closeForm, isAdding } from '../ui/route.ts';
import { Table } from '../ui/table.tsx';
import { day } from '../ui/time.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import styles from './tokens.module.css';

/** Tokens that expire within this time are marked. */
const SOON_MS = 14 * 86_400_000;

const STATES = {
  valid: 'Never expires',
  expires: 'Expires',
  ending: 'Expires soon:',
  expired: 'Expired',
  revoked: 'Revoked',
};

const MEANINGS: Readonly<Record<string, string>> = {
  'plants:read': 'See and export plants',
  'plants:write': 'Change and import plants',
  'tokens:read': 'See who changed what',
  'metrics:read': 'See metrics',
  admin: 'Manage access and webhooks',
};

/** What a scope allows, in words if there are any. */
const meaningOf = (scope: string) => MEANINGS[scope] ?? scope;

/** The access tokens, newest first; expired and revoked ones last. */
export function TokensView() {
  const tokens = useLoaded(listTokens, []);
  const { value, isLoading, reload } = tokens;
  const [revoked, setRevoked] = useState<Token>();
  const end = (hasChanged: boolean) => {
    setRevoked(undefined);
    if (isAdding.value) closeForm();
    if (hasChanged) reload();
  };
  // A revoked token has no button.
  useRescuedFocus([value]);
  return (
    <Page
      title="Access"
      lead="Give each person and program access of its own, and revoke it when it is no longer needed."
      tools={<Button icon={Plus} label="Give access" class="primary" onClick={beginAdding} />}
      of={tokens}
    >
      {value && (
        <Table
          class={styles['tokens']}
          titles={['Who', 'Can', 'State', 'Last used', texts.actions]}
          titled={3}
          isLoading={isLoading}
          rows={value
            .toReversed()
            .toSorted((one, other) => Number(hasEnded(one)) - Number(hasEnded(other)))
            .map((token) => ({
              key: token.id,
              class: hasEnded(token) ? styles['ended'] : '',
              cells: cellsOf(token, setRevoked),
            }))}
        />
      )}
      {isAdding.value && <NewToken onEnd={end} />}
      {revoked && <RevokeToken token={revoked} onEnd={end} />}
    </Page>
  );
}

function cellsOf(token: Token, onRevoke: (token: Token) => void) {
  const { id, name, scopes, expiresAt, revokedAt, lastUsedOn } = token;
  const state = stateOf(token);
  return [
    <>
      <bdi title={id}>{name}</bdi> {id === access.value?.id && <span class="tag">This session</span>}
    </>,
    <span title={scopes.join(' ')}>{scopes.map(meaningOf).join(' · ')}</span>,
    <>
      <span class={`dot ${styles[state]}`}>{STATES[state]}</span> {day(revokedAt ?? expiresAt)}
    </>,
    day(lastUsedOn) || 'Never',
    !revokedAt && (
      <Button class="quiet" aria-label={`Revoke ${name}`} onClick={() => onRevoke(token)}>
        Revoke
      </Button>
    ),
  ];
}

interface TaskProps {
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Creates a token with some of the user's scopes. */
function NewToken({ onEnd }: TaskProps) {
  const { scopes = [], name: ownName, expiresAt } = access.value ?? {};
  // A token cannot create one that expires later; identity provider users can.
  const limit = ownName === undefined ? undefined : expiresAt;
  const work = async (form: FormData) => {
    const lastDay = form.get('expiresAt') as string;
    // In the user's time zone.
    const end = lastDay && { expiresAt: new Date(`${lastDay}T23:59:59`).toISOString() };
    const body = { name: form.get('name'), scopes: form.getAll('scopes'), ...end };
    const { name, secret } = await ask<IssuedToken>('POST', 'tokens', { body, isOnce: true });
    const until = lastDay ? `, until ${day(lastDay)}` : '';
    const page = location.href.replace(/[?#].*/, '');
    const message = `You have access to the plant store${until}.\n1. Open ${page}\n2. Sign in with this access token: ${secret}`;
    return { title: `Access of ${name}`, secret, message };
  };
  return (
    <FormDialog title="Give access" submit="Give access" work={work} onLeave={onEnd}>
      <Field
        label="Who or what for"
        name="name"
        advice="Enter a name: one line, at most 200 characters."
        autoFocus
      />
      <Choices
        legend="Can"
        name="scopes"
        choices={Object.fromEntries(scopes.map((scope) => [scope, meaningOf(scope)]))}
        advice="Select at least one."
      />
      <Field
        label="Expires on"
        name="expiresAt"
        kind="date"
        hint={
          limit === undefined
            ? 'Leave empty for a token that never expires.'
            : `Your own token expires on ${day(limit)}. This one cannot expire later.`
        }
        advice="Choose a later day, but not after your own token expires."
      />
    </FormDialog>
  );
}

/** Confirms and revokes a token; confirms again if it is the last one with `admin`. */
function RevokeToken({ token: { id, name }, onEnd }: TaskProps & { readonly token: Token }) {
  const [isLastAdmin, setIsLastAdmin] = useState(false);
  const work = async () => {
    try {
      await send('DELETE', `tokens/${id}`, { query: { lastAdmin: isLastAdmin ? 'true' : undefined } });
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
      return setIsLastAdmin(true);
    }
    toast(`Revoked ${name}`);
    return onEnd(true);
  };
  const isOwn = id === access.value?.id;
  return (
    <FormDialog
      title={`Revoke ${name}`}
      submit={isLastAdmin ? 'Revoke anyway' : 'Revoke'}
      isDangerous
      work={work}
      onLeave={onEnd}
    >
      <p role="alert">
        {isLastAdmin
          ? 'This is the last token with the scope admin. Only the command line can create another one.'
          : `${isOwn ? 'You are signed in with this token. ' : ''}This cannot be undone.`}
      </p>
    </FormDialog>
  );
}

export function stateOf({ expiresAt, revokedAt }: Token): keyof typeof STATES {
  if (revokedAt) return 'revoked';
  if (!expiresAt) return 'valid';
  const left = new Date(expiresAt).getTime() - Date.now();
  return left < 0 ? 'expired' : left < SOON_MS ? 'ending' : 'expires';
}

function hasEnded(token: Token): boolean {
  return ['expired', 'revoked'].includes(stateOf(token));
}
