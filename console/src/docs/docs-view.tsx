import { ChevronDown } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plural, texts } from '../texts.ts';
import { Button, Icon } from '../ui/button.tsx';
import { LoadFailure } from '../ui/messages/message.tsx';
import { focusTop } from '../ui/messages/rescued-focus.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { type Contract, linesOf, type Operation, operationsOf, readContract } from './contract.ts';
import styles from './docs.module.css';
import { OperationView, Route } from './operation-view.tsx';
import { hrefOf, place, Prose, withCode } from './schema.tsx';
import { search } from './search.ts';

/** The reference of the contract: one operation at a time, beside a list of all. */
export function DocsView({ onSignIn }: { readonly onSignIn: () => void }) {
  const contract = useLoaded(readContract, []);
  const operations = contract.value ? operationsOf(contract.value) : [];
  const [id] = place.value.split('/');
  const current = operations.find(({ operationId }) => operationId === id);
  const title = current?.summary ?? texts.reference;
  useEffect(() => {
    document.title = `${title} · ${texts.title}`;
    if (contract.value === undefined) return;
    const part = document.getElementById(place.value);
    if (part) part.focus();
    else if (current) {
      scrollTo(0, 0);
      focusTop();
    }
  }, [title, place.value]);
  if (contract.value === undefined)
    return contract.failure ? <LoadFailure of={contract} /> : <p role="status">{texts.loading}</p>;
  return (
    <div class={styles['docs']}>
      <Index contract={contract.value} operations={operations} current={current} />
      {current ? (
        <OperationView key={id} operation={current} onSignIn={onSignIn} />
      ) : (
        <Introduction contract={contract.value} operations={operations} />
      )}
    </div>
  );
}

interface IndexProps {
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  readonly current?: Operation | undefined;
}

/** All operations, or those that a search finds, with what it finds in them. */
function Index({ contract: { tags }, operations, current }: IndexProps) {
  const [query, setQuery] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const hits = search(operations, query);
  return (
    <nav ref={nav} class={`places ${styles['index']}`} aria-label="Operations">
      <input
        type="search"
        aria-label="Search"
        placeholder="Name, path or error"
        value={query}
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => {
          setQuery(value);
          setIsOpen(value !== '');
        }}
      />
      <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {current?.summary ?? 'Operations'} <Icon of={ChevronDown} />
      </Button>
      <div
        class={isOpen ? styles['open'] : ''}
        // On a narrow page, the list covers what the link leads to.
        onClick={({ target }) => target instanceof Element && target.closest('a') && setIsOpen(false)}
      >
        <p role="status">{query !== '' && `${plural(hits.length, 'operation')} found`}</p>
        {tags.map(({ name }) => {
          const group = hits.filter(({ operation }) => operation.tags?.includes(name));
          return (
            group.length > 0 && (
              <section key={name}>
                <h2>{name}</h2>
                <ul>
                  {group.map(({ operation, parts }) => (
                    <li key={operation.operationId}>
                      <a
                        href={hrefOf(operation.operationId)}
                        aria-current={operation === current ? 'page' : undefined}
                      >
                        {operation.summary} <Route {...operation} />
                      </a>
                      {parts.map(({ anchor, text }) => (
                        <a
                          key={text}
                          class={styles['part']}
                          href={hrefOf(`${operation.operationId}/${anchor}`)}
                        >
                          {withCode(text)}
                        </a>
                      ))}
                    </li>
                  ))}
                </ul>
              </section>
            )
          );
        })}
      </div>
    </nav>
  );
}

function Introduction({ contract: { info, servers, tags }, operations }: Omit<IndexProps, 'current'>) {
  const lines = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ description }) => linesOf(description)),
  );
  const errors = [
    ...new Map(lines.flatMap(({ value, text }) => (value === undefined ? [] : [[value, text]]))),
  ].toSorted(([one], [other]) => Number(one) - Number(other));
  return (
    <section class={styles['introduction']}>
      <h1 tabIndex={-1}>{texts.reference}</h1>
      <Prose text={info.description} />
      <Terms
        of={[
          ['Base URL', <code>{servers[0]?.url}</code>],
          ['Contract', <a href="../openapi.json">OpenAPI 3.1</a>],
          ['', <a href="../ieee754/openapi.json">OpenAPI 3.1 with int64s as strings</a>],
          ...tags.map(({ name, description = '' }) => [name, withCode(description)] as const),
        ]}
      />
      <h2>Error values</h2>
      <Terms of={errors.map(([value, text]) => [value, withCode(text)])} />
    </section>
  );
}

function Terms({ of }: { readonly of: readonly (readonly [term: string, meaning: ComponentChildren])[] }) {
  return (
    <table>
      {of.map(([term, meaning]) => (
        <tr key={term}>
          <th>{term}</th>
          <td>{meaning}</td>
        </tr>
      ))}
    </table>
  );
}
