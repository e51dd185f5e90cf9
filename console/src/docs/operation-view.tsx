import { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { session } from '../service/session.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { CopyButton } from '../ui/controls/copy.tsx';
import { Fold } from '../ui/fold.tsx';
import { Icon, SendIcon } from '../ui/icons.tsx';
import {
  type Answer,
  exampleOf,
  fieldsOf,
  linesOf,
  type Operation,
  type Parameter,
  typeOf,
} from './contract.ts';
import styles from './docs.module.css';
import { exchange, type Exchange, type Filled, type Message, messageOf } from './exchange.ts';
import { partOf, place } from './place.ts';
import { SAMPLES } from './samples.ts';
import { Fields, Member, Prose, targetAt, withCode } from './schema.tsx';

/** The language of samples, for all operations. */
const language = new Signal('curl');

interface OperationViewProps {
  readonly operation: Operation;
  readonly onSignIn: () => void;
}

/** An operation: what the contract says about it, and a form that sends it. */
export function OperationView({ operation, onSignIn }: OperationViewProps) {
  const { method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const id = useId();
  const content = requestBody?.content ?? {};
  const mediaTypes = Object.keys(content);
  const [mediaType, setMediaType] = useState(mediaTypes[0]);
  const media = content[mediaType ?? ''];
  const [body, setBody] = useState(media && exampleOf(media));
  const [values, setValues] = useState<Filled['values']>({});
  const [result, setResult] = useState<Exchange | Error>();
  const [isBusy, setIsBusy] = useState(false);
  const controller = useRef(new AbortController());
  const needsToken = operation.security?.length !== 0;
  const isSignedIn = session.value !== undefined;
  useEffect(() => () => controller.current.abort(), []);

  const filled = { values, mediaType, body: body ?? '' };
  const samples = Object.fromEntries(
    parameters.filter(({ required }) => required).map(({ name, ...rest }) => [name, sampleOf(rest)]),
  );
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    setResult(undefined);
    setResult(
      await exchange(messageOf(operation, filled), controller.current.signal).catch((error: Error) => error),
    );
    setIsBusy(false);
  };
  return (
    <form class={styles['operation']} onSubmit={(event) => void send(event)}>
      <section>
        <h1 tabIndex={-1}>{summary}</h1>
        <p class={styles['route']}>
          <Method name={method} /> <code>{path}</code>
        </p>
        <Prose text={description} />
        {parameters.length > 0 && (
          <>
            <h2>Parameters</h2>
            <ul class={styles['members']}>
              {parameters.map((parameter) => (
                <ParameterField
                  key={parameter.name}
                  parameter={parameter}
                  value={values[parameter.name] ?? ''}
                  onInput={(value) => setValues({ ...values, [parameter.name]: value })}
                />
              ))}
            </ul>
          </>
        )}
        {media?.schema && (
          <>
            <h2>
              {texts.docs.body} <small>{typeOf(media.schema.contentSchema ?? media.schema)}</small>
            </h2>
            <Fields of={media.schema} at="body" />
          </>
        )}
      </section>
      <aside>
        {mediaType !== undefined && (
          <div class="field">
            <div class={styles['member']}>
              <label for={id}>{texts.docs.body}</label>
              {mediaTypes.length > 1 ? (
                <select
                  value={mediaType}
                  aria-label="Media type"
                  onChange={({ currentTarget }) => setMediaType(currentTarget.value)}
                >
                  {mediaTypes.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              ) : (
                <small>{mediaType}</small>
              )}
            </div>
            <textarea
              id={id}
              rows={6}
              value={filled.body}
              spellcheck={false}
              onInput={({ currentTarget }) => setBody(currentTarget.value)}
            />
          </div>
        )}
        <div class="tools">
          <Button type="submit" class="primary" isBusy={isBusy}>
            <Icon of={SendIcon} /> Send
          </Button>
          {needsToken && !isSignedIn && (
            <>
              <small>Not signed in</small>
              <button type="button" onClick={onSignIn}>
                {texts.signIn.title}
              </button>
            </>
          )}
        </div>
        <div role="status">{result && <Result of={result} />}</div>
        <Sample
          of={messageOf(operation, { ...filled, values: { ...samples, ...values } })}
          needsToken={needsToken}
        />
      </aside>
      <section class={styles['responses']}>
        <h2>Responses</h2>
        {Object.entries(responses).map(([status, answer]) => (
          <AnswerFold key={status} status={status} answer={answer} />
        ))}
      </section>
    </form>
  );
}

export function Method({ name }: { readonly name: string }) {
  const look = { GET: 'read', DELETE: 'delete' }[name] ?? 'write';
  return <span class={`${styles['method']} ${styles[look]}`}>{name}</span>;
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function ParameterField({ parameter, value, onInput }: ParameterFieldProps) {
  const { required, schema = {} } = parameter;
  const id = useId();
  const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : []);
  const change = (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value);
  return (
    <Member
      {...parameter}
      anchor={parameter.name}
      id={id}
      control={
        choices.length > 0 ? (
          <select id={id} value={value} required={required} onChange={change}>
            <option value="">Not sent</option>
            {choices.map(String).map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : (
          <input
            id={id}
            value={value}
            required={required}
            placeholder={texts.docs.placeholder(sampleOf(parameter))}
            autoComplete="off"
            spellcheck={false}
            onInput={change}
          />
        )
      }
    />
  );
}

/** What an operation may return with a status. */
function AnswerFold({ status, answer }: { readonly status: string; readonly answer: Answer }) {
  const { description, headers = {}, content = {} } = answer;
  const isTarget = place.value === partOf(status);
  return (
    <Fold
      key={`${isTarget}`}
      isTarget={isTarget}
      title={
        <>
          <span {...targetAt(status)}>
            <span class={`${styles['method']} ${styles[status.startsWith('2') ? 'read' : 'other']}`}>
              {status}
            </span>
          </span>
          <span>
            {linesOf(description).map(({ value, text }) => (
              <span key={text} {...(value !== undefined && targetAt(value))}>
                {value !== undefined && <code>{value}</code>} {withCode(text)}
              </span>
            ))}
          </span>
        </>
      }
    >
      {Object.entries(content).map(([mediaType, media]) => (
        <section key={mediaType}>
          <h3>
            {texts.docs.body} <small>{mediaType}</small>
          </h3>
          {media.schema && fieldsOf(media.schema).length > 0 && <Fields of={media.schema} />}
          <Code title="Example" text={exampleOf(media)} />
        </section>
      ))}
      <h3>{texts.docs.headers}</h3>
      <ul class={styles['members']}>
        {Object.entries(headers).map(([name, header]) => (
          <Member key={name} {...header} name={name} required={false} />
        ))}
      </ul>
    </Fold>
  );
}

/** What came of a request. */
function Result({ of }: { readonly of: Exchange | Error }) {
  if (of instanceof Error) return <p class="problem">{texts.retry.offline}</p>;
  const { status, isRefusal, milliseconds, headers, body, isCut } = of;
  return (
    <>
      <p>
        <strong class={isRefusal ? 'danger' : 'success'}>{status}</strong>{' '}
        <small>{texts.docs.took(milliseconds)}</small>
      </p>
      {isCut && <p>Only the first part of the body is shown.</p>}
      {body !== '' && <Code title={texts.docs.body} text={body} />}
      <Fold title={texts.docs.headers}>
        <Code title={texts.docs.headers} text={headers.map((header) => header.join(': ')).join('\n')} />
      </Fold>
    </>
  );
}

interface SampleProps {
  readonly of: Message;
  readonly needsToken: boolean;
}

/** A program that sends the request, in the language that the reader has chosen. */
function Sample({ of, needsToken }: SampleProps) {
  const text = SAMPLES[language.value]?.(of, needsToken) ?? '';
  return (
    <Code title={texts.docs.sample(language.value)} text={text}>
      <span role="group" aria-label="Language">
        {Object.keys(SAMPLES).map((name) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-pressed={name === language.value}
            onClick={() => (language.value = name)}
          >
            {name}
          </button>
        ))}
      </span>
    </Code>
  );
}

interface CodeProps {
  readonly title: string;
  readonly text: string;
  /** What is over the text, if that is not the title. */
  readonly children?: ComponentChildren;
}

/** A text to copy. */
function Code({ title, text, children = title }: CodeProps) {
  return (
    <figure class={styles['code']}>
      <figcaption>
        {children}
        <CopyButton label={texts.docs.copy(title)} text={text} />
      </figcaption>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </figure>
  );
}

/** What a parameter may be; a list is written with commas. */
function sampleOf({ example, schema }: Omit<Parameter, 'name'>): string {
  return [example ?? schema?.example ?? ''].flat().map(String).join();
}
