import { MinLength } from 'class-validator';
import { Variable } from '../../kernel/config/configuration.js';
import { IsAddressList, listOf } from '../../kernel/config/formats.js';

/** The settings of webhooks. */
export class WebhookSettings {
  @Variable(
    'The key from which the service derives the secrets of [webhooks](api.md#webhooks); 32 characters or more, such as from `openssl rand -hex 32`, the same on all instances. Without it, there are no webhooks.',
    { isSecret: true },
  )
  @MinLength(32, { message: '$property must have at least 32 characters, so that nobody guesses it' })
  WEBHOOK_KEY: string | undefined;

  @Variable(
    'Private addresses that webhooks may reach, also over `http`: addresses or ranges such as `10.0.0.0/8`, separated by commas.',
  )
  @IsAddressList()
  WEBHOOK_ADDRESSES: string | undefined;

  /** Milliseconds between two polls for webhooks that no instance delivers. */
  pollInterval = 5_000;

  /** Milliseconds after which another instance takes over the webhooks of an instance that has stopped polling. */
  lease = 15_000;

  /** Milliseconds that a request may take. */
  timeout = 15_000;

  /** Milliseconds until the second attempt, and between two at most. */
  retry = { least: 1_000, most: 3_600_000 };

  /** Private addresses and ranges that webhooks may reach. */
  get addresses(): readonly string[] {
    return listOf(this.WEBHOOK_ADDRESSES);
  }
}
