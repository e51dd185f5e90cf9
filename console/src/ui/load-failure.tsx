import { texts } from '../texts.ts';
import type { Loaded } from './use-loaded.ts';

/** Says why something could not be loaded, if so. */
export function LoadFailure({ of: { failure, reload } }: { readonly of: Loaded<unknown> }) {
  return (
    failure && (
      <div class="notice" role="alert">
        <p>{failure.message}</p>
        <button type="button" onClick={reload}>
          {texts.tryAgain}
        </button>
      </div>
    )
  );
}
