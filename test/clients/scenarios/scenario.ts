/** What a generated client works with: its own contract, and ids in the form of that. */
export interface Service {
  readonly url: string;
  readonly token: string;
  readonly ids: readonly unknown[];
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

/** The ids in the type that a generated client has for them: a number by the usual contract, a string by the other one. */
export function idsOf<Id>({ ids }: Service): [Id, Id] {
  return ids as [Id, Id];
}
