/** The fields of a plant that can change. */
export interface Content {
  readonly name: string;
  readonly tag?: string;
}

export interface Plant extends Content {
  readonly id: bigint;
}

/**
 * An entity tag as a client comes to have it: of the plant as it is now, of some plant as it was once (by position among all
 * that were seen), or of none.
 */
export interface Reference {
  readonly to: 'current' | 'none' | number;
  readonly isWeak: boolean;
}

/** `If-Match: *`, `If-Match` with some tags, or `If-None-Match: *`. */
export type Condition = 'exists' | 'is absent' | readonly Reference[];

export interface ListQuery {
  readonly limit?: number;
  /** The place of a plant, whether or not there is one. */
  readonly after?: Pick<Plant, 'id' | 'name'>;
  readonly tag?: string;
  readonly name?: string;
}

/** What a client asks of the service. */
export type Operation =
  | { readonly kind: 'create'; readonly id: bigint; readonly content: Content }
  | {
      readonly kind: 'put';
      readonly id: bigint;
      readonly content: Content;
      readonly condition?: Condition;
    }
  | {
      readonly kind: 'patch';
      readonly id: bigint;
      readonly patch: { readonly name?: string; readonly tag?: string | null };
      readonly condition?: Condition;
    }
  | { readonly kind: 'delete'; readonly id: bigint; readonly condition?: Condition }
  /** `known` is `If-None-Match`. */
  | { readonly kind: 'read'; readonly id: bigint; readonly known?: '*' | readonly Reference[] }
  | { readonly kind: 'list'; readonly query: ListQuery };
