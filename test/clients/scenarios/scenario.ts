/** What a generated client works with. */
export interface Service {
  readonly url: string;
  readonly token: string;
  readonly ids: readonly [number, number];
}

interface Plant {
  readonly id: unknown;
}

/** What a generated client has seen. */
export interface Seen {
  readonly listed: readonly Plant[];
  readonly patched: Plant;
  readonly batch: readonly { readonly status: number; readonly body?: Plant }[];
  readonly changes: readonly { readonly kind: string; readonly plant: Plant }[];
  /** The first one of a stream of lines or events. */
  readonly streamed: Plant;
}
