import { Send } from 'lucide';
import { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { session } from '../service/session.ts';
import { number, texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/messages/message.tsx';
import { Select } from '../ui/field.tsx';
import { Fold } from '../ui/fold.tsx';
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
import { SAMPLES } from './samples.ts';
import { Fields, Member, partOf, place, Prose, targetAt, withCode } from './schema.tsx';

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
    const { signal } = controller.current;
    setResult(await exchange(messageOf(operation, filled), signal).catch((error: Error) => error));
    setIsBusy(false);
  };
  return (
    <form class={styles['operation']} onSubmit={(event) => void send(event)}>
      <section>
        <h1 tabIndex={-1}>{summary}</h1>
        <p>
          <Route method={method} path={path} />
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
              Body <small>{typeOf(media.schema.contentSchema ?? media.schema)}</small>
            </h2>
            <Fields of={media.schema} at="body" />
          </>
        )}
      </section>
      <aside>
        {mediaType !== undefined && (
          <div class="field">
            <div class={styles['member']}>
              <label for={id}>Body</label>
              {mediaTypes.length > 1 ? (
                <Select
                  aria-label="Media type"
                  value={mediaType}
                  options={namesOf(mediaTypes)}
                  onChoose={setMediaType}
                />
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
          <Button icon={Send} label="Send" type="submit" class="primary" isBusy={isBusy} />
          {needsToken && !session.value && <small>Not signed in</small>}
          {needsToken && !session.value && <Button label={texts.signIn} onClick={onSignIn} />}
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
          <AnswerFold key={status} status={status} {...answer} />
        ))}
      </section>
    </form>
  );
}

/** The method and the path of an operation. */
export function Route({ method, path }: Pick<Operation, 'method' | 'path'>) {
  const look = { GET: 'good', DELETE: 'bad' }[method] ?? 'fair';
  return (
    <span class={styles['route']}>
      <span class={`${styles['method']} ${look}`}>{method}</span> <code>{path}</code>
    </span>
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function ParameterField({ parameter, value, onInput }: ParameterFieldProps) {
  const { name, required, schema = {} } = parameter;
  const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : []);
  const attributes = { id: useId(), value, required };
  return (
    <Member {...parameter} anchor={name} id={attributes.id}>
      {choices.length > 0 ? (
        <Select {...attributes} options={{ '': 'Not sent', ...namesOf(choices) }} onChoose={onInput} />
      ) : (
        <input
          {...attributes}
          placeholder={sampleOf(parameter, 'e.g. ')}
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Member>
  );
}

/** Values that are their own names. */
function namesOf(values: readonly unknown[]): Record<string, string> {
  return Object.fromEntries(values.map((value) => [String(value), String(value)]));
}

interface AnswerFoldProps extends Answer {
  readonly status: string;
}

function AnswerFold({ status, description, headers = {}, content = {} }: AnswerFoldProps) {
  const isTarget = place.value === partOf(status);
  return (
    <Fold
      key={`${isTarget}`}
      isTarget={isTarget}
      title={
        <>
          <span {...targetAt(status)}>
            <span class={`${styles['method']} ${status.startsWith('2') ? 'good' : 'neutral'}`}>{status}</span>
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
            Body <small>{mediaType}</small>
          </h3>
          {media.schema && fieldsOf(media.schema).length > 0 && <Fields of={media.schema} />}
          <Code title="Example" text={exampleOf(media)} />
        </section>
      ))}
      <h3>Headers</h3>
      <ul class={styles['members']}>
        {Object.entries(headers).map(([name, header]) => (
          <Member key={name} {...header} name={name} required={false} />
        ))}
      </ul>
    </Fold>
  );
}

function Result({ of }: { readonly of: Exchange | Error }) {
  if (of instanceof Error) return <p class="problem">{texts.offline}</p>;
  const { status, isRefusal, milliseconds, headers, body, isCut } = of;
  return (
    <>
      <p>
        <strong class={isRefusal ? 'danger' : 'success'}>{status}</strong>{' '}
        <small>in {number(milliseconds)} ms</small>
      </p>
      {isCut && <p>Only the first part of the body is shown.</p>}
      {body !== '' && <Code title="Body" text={body} />}
      <Fold title="Headers">
        <Code title="Headers" text={headers.map((header) => header.join(': ')).join('\n')} />
      </Fold>
    </>
  );
}

/** A program that sends the request, in the language that the reader has chosen. */
function Sample({ of, needsToken }: { readonly of: Message; readonly needsToken: boolean }) {
  const text = SAMPLES[language.value]?.(of, needsToken) ?? '';
  return (
    <Code title={`${language.value} sample`} text={text}>
      <span role="group" aria-label="Language">
        {Object.keys(SAMPLES).map((name) => (
          <Button
            key={name}
            label={name}
            class="quiet"
            aria-pressed={name === language.value}
            onClick={() => (language.value = name)}
          />
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
    <figure class={`card ${styles['code']}`}>
      <figcaption>
        {children}
        <CopyButton label={`Copy: ${title}`} text={text} />
      </figcaption>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </figure>
  );
}

/** What a parameter may be, if the contract has an example; a list is written with commas. */
function sampleOf({ example, schema }: Omit<Parameter, 'name'>, before = ''): string {
  const sample = [example ?? schema?.example ?? ''].flat().map(String).join();
  return sample && before + sample;
}
