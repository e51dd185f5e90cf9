import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCOPES } from '../../app.module.js';
import { type AccessToken, MAX_NAME_LENGTH, TOKEN_NAME } from '../auth/access-token.entity.js';
import { AccessTokensService } from '../auth/access-tokens.service.js';
import { ADMIN, type Scope } from '../auth/principal.js';
import { isStorableText } from '../validation/decorators.js';
import { type CommandLine, parseTime } from './command-line.js';

const MS_PER_DAY = 86_400_000;
const MAX_DAYS = 36_500;

interface CreateOptions {
  readonly name: string;
  readonly scope: readonly Scope[];
  readonly expiresIn?: number;
}

/** `plant-store token …`: creates, lists and revokes access tokens, and prints each as a line of JSON. */
export function addTokenCommands(program: Command, commandLine: CommandLine): void {
  const { stdout, stderr } = commandLine.terminal;
  const print = ({ digest: _, ...shown }: AccessToken & { readonly secret?: string }) =>
    void stdout.write(`${JSON.stringify(shown)}\n`);
  const withTokens = <Result>(
    which: 'new' | 'existing',
    work: (tokens: AccessTokensService) => Promise<Result>,
  ) => commandLine.withStore(which, (store) => work(store.get(AccessTokensService)));
  const token = program.command('token').description('Make, list and revoke access tokens.');
  token
    .command('create')
    .description('Create an access token and show its secret, this once.')
    .requiredOption('--name <name>', 'what the token is for', parseName)
    .addOption(
      new Option('--scope <scope...>', 'what the token may do')
        .choices(SCOPES)
        .default(SCOPES.filter((scope) => scope !== ADMIN)),
    )
    .option('--expires-in <days>', 'days until the token expires (default: never)', parseDays)
    .action(async ({ name, scope, expiresIn }: CreateOptions) => {
      const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * MS_PER_DAY);
      const { token: made, secret } = await withTokens('new', (tokens) =>
        tokens.issue({ name, scopes: [...new Set(scope)], expiresAt }),
      );
      print(Object.assign(made, { secret }));
    });
  token
    .command('list')
    .description('List all access tokens, without their secrets.')
    .action(async () => (await withTokens('existing', (service) => service.list())).forEach(print));
  token
    .command('revoke')
    .description('Revoke an access token for good; running services follow within 2 seconds.')
    .argument('<id>', 'the id that `list` shows')
    .option(
      '--created-since <time>',
      'also revoke what it has created since then, and what that has',
      parseTime,
    )
    .action(async (id: string, { createdSince }: { readonly createdSince?: Date }) => {
      const [revoked, children] = await withTokens('existing', async (tokens) => [
        await tokens.revoke(id, { createdSince }),
        await tokens.list(undefined, undefined, id),
      ]);
      if (revoked.length === 0) throw new Error(`There is no token ${id}.`);
      revoked.forEach(print);
      const left = children.filter(({ revokedAt }) => revokedAt === null).map((child) => child.id);
      if (left.length > 0)
        stderr.write(`It created ${left.join(', ')}: --created-since <time> revokes them.\n`);
    });
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
