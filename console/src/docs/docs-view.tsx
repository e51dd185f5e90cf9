import { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts.ts';
import { LoadFailure } from '../ui/notice.tsx';
import { focusTop } from '../ui/rescued-focus.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { type Contract, operationsOf, readContract } from './contract.ts';
import { Method, OperationView } from './operation-view.tsx';
import { Prose } from './schema.tsx';

/** Whether there is room for all operations beside the one that is shown. */
const isWide = matchMedia('(width >= 48rem)').matches;

/** The operation that the address names. */
const operationId = new Signal(operationIdOfAddress());

addEventListener('hashchange', () => (operationId.value = operationIdOfAddress()));

function operationIdOfAddress(): string {
  return location.hash.slice(1);
}

/** The reference of the contract: one operation at a time, beside a list of all. */
export function DocsView({ onSignIn }: { readonly onSignIn: () => void }) {
  const contract = useLoaded(readContract, []);
  const operations = contract.value ? operationsOf(contract.value) : [];
  const id = operationId.value;
  const current = operations.find((operation) => operation.operationId === id);
  const title = current?.summary ?? texts.reference;
  useEffect(() => {
    document.title = `${title} · ${texts.title}`;
    if (current === undefined) return;
    scrollTo(0, 0);
    focusTop();
  }, [title]);
  if (contract.value === undefined)
    return contract.failure ? <LoadFailure of={contract} /> : <p role="status">{texts.loading}</p>;
  return (
    <div class="docs">
      <nav class="links" aria-label={texts.docs.operations}>
        {contract.value.tags.map(({ name }) => (
          <details key={name} open={isWide}>
            <summary>{name}</summary>
            <ul>
              {operations
                .filter(({ tags }) => tags?.includes(name))
                .map((operation) => (
                  <li key={operation.operationId}>
                    <a
                      // That of the page is not what other links are relative to.
                      href={`${location.pathname}#${operation.operationId}`}
                      aria-current={operation === current ? 'page' : undefined}
                    >
                      <Method name={operation.method} /> {operation.summary}
                    </a>
                  </li>
                ))}
            </ul>
          </details>
        ))}
      </nav>
      {current ? (
        <OperationView key={id} operation={current} onSignIn={onSignIn} />
      ) : (
        <Introduction contract={contract.value} />
      )}
    </div>
  );
}

function Introduction({ contract: { info, tags } }: { readonly contract: Contract }) {
  return (
    <section class="introduction">
      <h1 tabIndex={-1}>{texts.reference}</h1>
      <Prose text={info.description} />
      <dl>
        {tags.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href="../openapi.json" target="_blank">
          {texts.docs.download}
        </a>
      </p>
    </section>
  );
}
