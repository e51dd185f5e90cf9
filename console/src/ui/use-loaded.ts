import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { session } from '../service/session.ts';

/** The state of a load. While it loads again, the previous value stays. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly failure: Error | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Loads a value, again when an input changes. Aborts outdated loads. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Loaded<Value> {
  const [times, setTimes] = useState(0);
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({
    value: undefined,
    failure: undefined,
    isLoading: true,
  });
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState(({ value }) => ({ value, failure: undefined, isLoading: true }));
    load(signal).then(
      (value) => signal.aborted || setState({ value, failure: undefined, isLoading: false }),
      (failure: Error) => signal.aborted || setState(({ value }) => ({ value, failure, isLoading: false })),
    );
    return () => controller.abort();
  }, [...inputs, times]);
  const reload = useCallback(() => setTimes((count) => count + 1), []);
  return { ...state, reload };
}

/** Loads a value at intervals, and after each sign-in. */
export function useWatched<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  milliseconds = 5_000,
): Loaded<Value> {
  const loaded = useLoaded(load, [session.value]);
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(reload, milliseconds);
    return () => clearInterval(timer);
  }, [reload]);
  return loaded;
}
