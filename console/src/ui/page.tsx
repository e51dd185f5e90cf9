import type { ComponentChildren } from 'preact';
import { texts } from '../texts.ts';
import { LoadFailure } from './messages/message.tsx';
import type { Loaded } from './use-loaded.ts';

interface PageProps {
  readonly title: string;
  /** A sentence about the page, or its state. */
  readonly lead?: ComponentChildren;
  /** The actions of the page. */
  readonly tools?: ComponentChildren;
  /** What the page loads: it says when it loads for the first time, and why a load failed. */
  readonly of?: Omit<Loaded<unknown>, 'isLoading'> & { readonly isLoading?: boolean };
  readonly children: ComponentChildren;
}

/** The frame of a view: its heading with its actions, and the state of its load. */
export function Page({ title, lead, tools, of, children }: PageProps) {
  return (
    <>
      <div class="tools">
        <h1 tabIndex={-1}>{title}</h1>
        {lead && (
          <p role="status" class="soft">
            {lead}
          </p>
        )}
        {tools}
      </div>
      {of && <LoadFailure of={of} />}
      {of?.isLoading && of.value === undefined && <p class="empty">{texts.loading}</p>}
      {children}
    </>
  );
}
