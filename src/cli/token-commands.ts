import { Console } from 'node:console';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCOPES } from '../app.module.js';
import { type AccessToken, MAX_NAME_LENGTH, TOKEN_NAME } from '../auth/access-token.entity.js';
import { AccessTokensService } from '../auth/access-tokens.service.js';
import { ADMIN, type Scope } from '../auth/principal.js';
import { isStorableText } from '../validation/decorators.js';
import type { CommandLine } from './command-line.js';

const MS_PER_DAY = 86_400_000;
const MAX_DAYS = 36_500;

interface CreateOptions {
  readonly name: string;
  readonly scope: readonly Scope[];
  readonly expiresIn?: number;
  readonly json?: true;
}

interface OutputOptions {
  readonly json?: true;
}

/** `plant-store token …`: makes, lists and revokes access tokens. */
export function addTokenCommands(program: Command, commandLine: CommandLine): void {
  const { stdout } = commandLine.terminal;
  const print = (text: string) => void stdout.write(`${text}\n`);
  const withTokens = <Result>(
    which: 'new' | 'existing',
    work: (tokens: AccessTokensService) => Promise<Result>,
  ) => commandLine.withStore(which, (store) => work(store.get(AccessTokensService)));
  const token = program.command('token').description('Make, list and revoke access tokens.');
  token
    .command('create')
    .description('Make an access token and show its secret, this once.')
    .requiredOption('--name <name>', 'what the token is for', parseName)
    .addOption(
      new Option('--scope <scope...>', 'what the token may do')
        .choices(SCOPES)
        .default(SCOPES.filter((scope) => scope !== ADMIN)),
    )
    .option('--expires-in <days>', 'days until the token expires (default: never)', parseDays)
    .option('--json', 'write JSON')
    .action(async ({ name, scope, expiresIn, json }: CreateOptions) => {
      const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * MS_PER_DAY);
      const { token: made, secret } = await withTokens('new', (tokens) =>
        tokens.issue({ name, scopes: [...new Set(scope)], expiresAt }),
      );
      print(
        json
          ? asJson({ ...summary(made), secret })
          : `Made the token ${made.id}. Its secret is not shown again:\n\n  ${secret}\n`,
      );
    });
  token
    .command('list')
    .description('List all access tokens, without their secrets.')
    .option('--json', 'write JSON')
    .action(async ({ json }: OutputOptions) => {
      const tokens = await withTokens('existing', (service) => service.list());
      if (json) print(asJson(tokens.map(summary)));
      else new Console(stdout).table(Object.fromEntries(tokens.map(row)));
    });
  token
    .command('revoke')
    .description('Revoke an access token for good; running services follow within 2 seconds.')
    .argument('<id>', 'the id that `list` shows')
    .option('--json', 'write JSON')
    .action(async (id: string, { json }: OutputOptions) => {
      const revoked = await withTokens('existing', (tokens) => tokens.revoke(id));
      if (revoked === null) throw new Error(`There is no token ${id}.`);
      print(json ? asJson(summary(revoked)) : `The token ${id} is revoked.`);
    });
}

/** The columns of a token in the list, after its id. */
function row({ id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedOn }: AccessToken) {
  const columns = {
    name,
    scopes: scopes.join(' '),
    created: createdAt.toISOString(),
    expires: expiresAt?.toISOString() ?? 'never',
    revoked: revokedAt?.toISOString() ?? 'no',
    'last used': lastUsedOn ?? 'never',
  };
  return [id, columns] as const;
}

/** The token without the digest of its secret. */
function summary({ digest: _, ...shown }: AccessToken): Omit<AccessToken, 'digest'> {
  return shown;
}

function parseName(text: string): string {
  if (isStorableText(text, MAX_NAME_LENGTH) && TOKEN_NAME.test(text)) return text;
  throw new InvalidArgumentError(
    `It must be a text of 1 to ${MAX_NAME_LENGTH} characters without control characters, and not blank.`,
  );
}

function parseDays(text: string): number {
  const days = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (days > 0 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`It must be a number of days, ${MAX_DAYS} at most.`);
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
