import type { ComponentChildren } from 'preact';
import { retryNow, retryState } from '../../service/connection.ts';
import { texts } from '../../texts.ts';
import { Icon, WarningIcon } from '../icons.tsx';
import type { Loaded } from '../use-loaded.ts';

interface NoticeProps {
  readonly action: string;
  readonly onAction: () => void;
  readonly children: ComponentChildren;
}

/** What the user has to know, and what he can do about it. */
export function Notice({ action, onAction, children }: NoticeProps) {
  return (
    <div class="banner partial">
      <Icon of={WarningIcon} />
      <p>{children}</p>
      <button type="button" onClick={onAction}>
        {action}
      </button>
    </div>
  );
}

/** Says that requests wait for the service, if they do. */
export function RetryNotice() {
  return (
    <div role="status">
      {retryState.value?.reason === 'service' && (
        <Notice action={texts.retry.now} onAction={retryNow}>
          <strong>{retryState.value.message}</strong> {texts.retry.retrying}
        </Notice>
      )}
    </div>
  );
}

/** Says why something could not be loaded, if so. */
export function LoadFailure({
  of: { failure, reload },
}: {
  readonly of: Pick<Loaded<unknown>, 'failure' | 'reload'>;
}) {
  return (
    failure && (
      <div role="alert">
        <Notice action={texts.tryAgain} onAction={reload}>
          {failure.message}
        </Notice>
      </div>
    )
  );
}
