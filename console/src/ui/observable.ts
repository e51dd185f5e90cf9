import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that tells those who watch it when it changes. */
export class Observable<Value> {
  private readonly watchers = new Set<(value: Value) => void>();

  constructor(private current: Value) {}

  get value(): Value {
    return this.current;
  }

  set value(value: Value) {
    this.current = value;
    for (const watcher of this.watchers) watcher(value);
  }

  /** Calls `watcher` at every change until the function that it returns is called. */
  watch(watcher: (value: Value) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

/** The value of an observable, now and after each change. */
export function useValue<Value>(observable: Observable<Value>): Value {
  const [, setVersion] = useState(0);
  useLayoutEffect(() => observable.watch(() => setVersion((version) => version + 1)), [observable]);
  return observable.value;
}
