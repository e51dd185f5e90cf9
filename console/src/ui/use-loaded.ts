import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { session } from '../service/session.ts';

/** The state of a load. While it loads again, the previous value stays. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly failure: Error | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads a value, again when an input changes. Aborts outdated loads.
 *
 * @param pause milliseconds from the end of a load to the next one; without it, the value is loaded once.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  pause?: number,
): Loaded<Value> {
  const [times, setTimes] = useState(0);
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({
    value: undefined,
    failure: undefined,
    isLoading: true,
  });
  const reload = useCallback(() => setTimes((count) => count + 1), []);
  useLayoutEffect(() => {
    const controller = new AbortController();
    let timer: number | undefined;
    const end = (change: Partial<typeof state>) => {
      if (controller.signal.aborted) return;
      setState((before) => ({ ...before, ...change, isLoading: false }));
      if (pause !== undefined) timer = setTimeout(reload, pause);
    };
    setState(({ value }) => ({ value, failure: undefined, isLoading: true }));
    load(controller.signal).then(
      (value) => end({ value }),
      (failure: Error) => end({ failure }),
    );
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [...inputs, times]);
  return { ...state, reload };
}

/** Loads a value again and again, and after each sign-in. */
export function useWatched<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  pause = 5_000,
): Loaded<Value> {
  return useLoaded(load, [session.value], pause);
}
