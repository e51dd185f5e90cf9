import type { DataSource, ObjectLiteral } from 'typeorm';
import { ownerOf, type Principal } from '../auth/principal.js';
import { ApiException } from '../errors/api.exception.js';
import { isInTransaction } from '../database/store-data-source.js';
import { readInTurn, takeTurn } from '../database/event-loop.js';
import { ErrorValue } from '../errors/error-value.js';
import { Json } from '../http/body/exact-json.js';
import type { GroupCommit } from '../store/group-commit.js';
import type { IndexScan, RowFilter, RowsAsJson } from '../store/scans/index-scan.js';
import type { Decide, Written } from '../store/row-batcher.js';
import { PAGE_LENGTH, Rows } from '../store/rows.js';
import type { Sites } from '../store/sites.js';
import type { Snapshots } from '../store/scans/snapshots.js';
import { type Key, type Table } from '../store/table.js';
import { entityTag, type Preconditions } from './conditional-requests.js';
import { type CollectionQuery, type JsonPage, readPage } from './page.js';
import {
  assertDescribed,
  isAssigned,
  ownScopeOf,
  type Representation,
  type Resource,
  withoutNulls,
} from './resource.js';
import { idTaken, ofOperation, preconditionFailed, unknownResource } from './resource-errors.js';

/** Characters of JSON that a batch may read, and those that it may return: a small patch returns a large resource, and a batch has many. */
const MAX_BATCH_LENGTH = 8_388_608;

/** A merge patch (RFC 7396): an undefined field stays, null removes it. */
export type MergePatch<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** A write of one resource. */
export interface Operation {
  readonly kind: 'create' | 'put' | 'patch' | 'delete';
  readonly key: Key;
  /** Its fields as the client has sent them; those of a patch are a `MergePatch`. */
  readonly content?: ObjectLiteral;
  readonly preconditions: Preconditions;
}

/** What an operation of a batch has done. */
export interface OperationResult {
  /** Whether there was no such resource before. */
  readonly isNew: boolean;
  /** Undefined if the resource is deleted. */
  readonly json: string | undefined;
}

/** Characters of a row from which its JSON takes longer than a statement. */
const LONG_ROW = 4_096;

/** Keys that `findAll()` reads at once. */
const KEYS_AT_ONCE = 16;

/** What a query adds to a list: a filter, or a source other than an index if the list has no filter. */
export type Narrowing = (scan: IndexScan, query: object) => Pick<IndexScan, 'filter' | 'source'>;

/**
 * The resources of one kind, such as all plants. A write is on disk when its promise resolves. A violation of a database rule,
 * such as a foreign key, is thrown as TypeORM throws it.
 */
export class Collection<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly store: Rows<Row>;
  /** The properties of columns that no client sends. */
  private readonly assigned: ReadonlySet<string>;
  /** Values that every resource of this view has. Undefined for a resource with an owner, before `as()` or `ofEveryone()`. */
  private readonly common: Partial<Row> | undefined;
  /** Values of a new resource in columns that no client sends. */
  private readonly initial: Partial<Row>;
  /** What features add to every list and count. Views share it. */
  private readonly narrowings: Narrowing[] = [];

  /** @throws Error when the DTOs of the resource and its entity have different fields. */
  constructor(
    readonly resource: Resource<Row>,
    dataSource: DataSource,
    commits: GroupCommit,
    private readonly snapshots: Snapshots,
    readonly sites?: Sites,
  ) {
    this.store = new Rows(dataSource, resource.entity, commits, sites);
    this.table = this.store.table;
    assertDescribed(resource, this.table);
    const assigned = this.table.columns.filter((column) => isAssigned(resource, column));
    this.assigned = new Set(assigned.map(({ property }) => property));
    this.initial = resource.initial ?? {};
    this.common = resource.owner === undefined ? {} : undefined;
  }

  /**
   * The resources that exist for a caller: all if the caller has an alternative of the operation's scopes without `:own`, else
   * those of the same owner. A new one belongs to the caller.
   */
  as(caller: Principal): this {
    const { owner } = this.resource;
    if (owner === undefined) throw new Error(`A ${this.table.noun} has no owner.`);
    const own = { [owner]: ownerOf(caller) } as Partial<Row>;
    const ownScope = ownScopeOf(this.resource);
    const mayAll = caller.required?.some(
      (all) => !all.includes(ownScope) && all.every((scope) => caller.scopes.includes(scope)),
    );
    return this.view(mayAll ? {} : own, Object.assign({}, this.initial, own));
  }

  /** Narrows every list and count by what its query asks for, besides their own filters. For features. */
  narrowBy(narrowing: Narrowing): void {
    this.narrowings.push(narrowing);
  }

  /** The resources of all owners, for commands and jobs. */
  ofEveryone(): this {
    return this.view({}, this.initial);
  }

  /** The resources with these values, such as one parent. A new one gets them. An index must have these columns first. */
  where(values: Partial<Row>): this {
    return this.view({ ...values, ...this.visible }, { ...this.initial, ...values });
  }

  /** @throws ApiException 40900 when the id is taken, unless `mayExist` and the resource is exactly this one. */
  async create(representation: Representation<Row>, { mayExist = false } = {}): Promise<void> {
    const row = this.allowed(this.rowOf(representation));
    const insert: Decide<Row> = (current) => {
      if (current === undefined) return row;
      if (mayExist && this.isLike(representation, current)) return current;
      throw this.taken(representation, current);
    };
    await this.rows.change(this.table.keyOf(row), insert, true);
  }

  /** @throws ApiException 40401 when the resource does not exist. */
  async find(key: Key): Promise<Representation<Row>> {
    const row = await this.rows.find(key);
    if (row === undefined || !this.has(row)) throw this.unknown(key);
    return this.shownInTurn(row);
  }

  /**
   * Creates a resource or replaces the one that has its id; tells which.
   *
   * @throws ApiException 41200 when a precondition fails.
   */
  async put(
    key: Key,
    content: Partial<Representation<Row>>,
    preconditions: Preconditions,
  ): Promise<{ representation: Representation<Row>; isNew: boolean }> {
    const { before, after } = await this.write({ kind: 'put', key, content, preconditions });
    return { representation: await this.shownInTurn(after as Row), isNew: before === undefined };
  }

  /**
   * Changes some fields of a resource and returns the result.
   *
   * @throws ApiException 40401 when the resource does not exist, 41200 when a precondition fails.
   */
  async patch(
    key: Key,
    changes: MergePatch<Row>,
    preconditions: Preconditions,
  ): Promise<Representation<Row>> {
    const { after } = await this.write({ kind: 'patch', key, content: changes, preconditions });
    return this.shownInTurn(after as Row);
  }

  /**
   * Changes the fields that `decide` returns for the resource as it is, and returns the result. Concurrent changes are decided one
   * after the other, so `decide` may be called several times. If it throws, nothing is stored and the caller gets its error.
   *
   * @throws ApiException 40401 when the resource does not exist.
   */
  async change(key: Key, decide: (current: Row) => Partial<Row>): Promise<Representation<Row>> {
    const { after } = await this.rows.change(key, (current) => {
      if (current === undefined || !this.has(current)) throw this.unknown(key);
      const keyed = { [this.table.key.property]: key };
      return this.allowed({ ...current, ...withoutUndefined(decide(current)), ...this.visible, ...keyed });
    });
    return this.shownInTurn(after as Row);
  }

  /** @throws ApiException 40401 when the resource does not exist, 41200 when a precondition fails. */
  async remove(key: Key, preconditions: Preconditions): Promise<void> {
    await this.write({ kind: 'delete', key, preconditions });
  }

  /**
   * Runs all operations, each on the result of those before, or none. Returns the JSON of each resource as it is after its operation.
   *
   * @throws ApiException of the first refused operation, with its number in the message.
   */
  async batch(operations: readonly Operation[]): Promise<OperationResult[]> {
    const texts: string[] = [];
    let length = 0;
    const changes = operations.map((operation, index) => {
      const decide = this.decisionOf(operation);
      const decideInBatch: Decide<Row> = (current) => {
        // If another instance was faster, all are decided again.
        if (index === 0) length = 0;
        try {
          const row = decide(current);
          const counted = row ?? current;
          const text = counted === undefined ? '' : JSON.stringify(this.shown(counted));
          texts[index] = text;
          assertLength((length += text.length));
          return row;
        } catch (thrown) {
          throw ofOperation(index, thrown);
        }
      };
      return { key: operation.key, decide: decideInBatch };
    });
    const written = await this.rows.changeAll(changes, assertLength);
    return written.map(({ before, after }, index) => ({
      isNew: before === undefined,
      json: after && texts[index],
    }));
  }

  /**
   * Finds resources by their keys: in the order of the keys, each once, without those that do not exist. When they are larger than
   * a page, the `rest` of the keys is for the next one.
   */
  async findAll(keys: readonly Key[]): Promise<JsonPage<Representation<Row>>> {
    const all = [...new Set(keys)];
    const found: string[] = [];
    let reached = 0;
    await readInTurn(async () => {
      for (let length = 0; reached < all.length && length < PAGE_LENGTH;) {
        const some = all.slice(reached, reached + KEYS_AT_ONCE);
        for (const row of await Promise.all(some.map((key) => this.rows.find(key)))) {
          const json = row === undefined || !this.has(row) ? '' : JSON.stringify(this.shown(row));
          length += json.length;
          if (length > PAGE_LENGTH && found.length > 0) break;
          if (json !== '') found.push(json);
          reached += 1;
        }
      }
    });
    return { items: new Json(`[${found.join()}]`), next: undefined, rest: all.slice(reached) };
  }

  /** @throws ApiException 40002 when the cursor is not one of this range, 50300 when too many long reads are running. */
  async list(asked: IndexScan, query: CollectionQuery): Promise<JsonPage<Representation<Row>>> {
    const scan = this.scanOf(asked, query);
    const { total: isCounted = false } = query;
    if (!isCounted && (scan.source ?? scan.filter) === undefined) return readPage(this.rows, scan, query);
    // May wait, because one page of a client's user interface may need several lists at once.
    return this.snapshots.readOnce(async (queries) => {
      const page = await readPage(this.rows, scan, query, queries);
      return isCounted ? { ...page, total: await this.rows.count(scan, queries) } : page;
    }, true);
  }

  /** Reads the JSON of all resources at one moment in the order of their keys, some at a time. */
  all(): AsyncGenerator<RowsAsJson, void> {
    const scan = this.scanOf({ order: [this.table.key.property] });
    return this.snapshots.read((queries) => this.rows.read(scan, undefined, queries));
  }

  /**
   * Counts the resources in a range at one moment.
   *
   * @throws ApiException 50300 when too many long reads are running.
   */
  async count(asked: IndexScan, query: object = {}): Promise<number> {
    const scan = this.scanOf(asked, query);
    return this.snapshots.readOnce((queries) => this.rows.count(scan, queries));
  }

  /** @throws Error in a transaction of TypeORM: what this stores stays when that is rolled back, and on SQLite waits for its end. */
  private get rows(): Rows<Row> {
    if (!isInTransaction()) return this.store;
    throw new Error(
      `A Collection takes no part in a transaction: use its manager for ${this.table.name}, or the Collection before or after it.`,
    );
  }

  private view(common: Partial<Row>, initial: Partial<Row>): this {
    return Object.assign(Object.create(this) as this, { common, initial });
  }

  /** The values of `common`, which every operation reads here. Throws if no caller is known, instead of showing all resources. */
  get visible(): Partial<Row> {
    if (this.common === undefined)
      throw new Error(`Whose ${this.table.noun}s? A resource with an owner needs as() or ofEveryone().`);
    return this.common;
  }

  private has(row: Row): boolean {
    const { visible, table } = this;
    return Object.keys(visible).every((property) => {
      const { encode } = table.column(property);
      return encode(row[property]) === encode(visible[property]);
    });
  }

  private scanOf(asked: IndexScan, query: object = {}): IndexScan {
    let { filter, source } = asked;
    for (const narrowing of this.narrowings) {
      const more = narrowing(asked, query);
      filter = bothOf(filter, more.filter);
      source = more.source ?? source;
    }
    if (source !== undefined && filter !== undefined)
      throw new Error('A list is read from a source, or has a filter.');
    const { visible } = this;
    const order = [...Object.keys(visible), ...asked.order];
    const equal = [...Object.values(visible), ...(asked.equal ?? [])];
    return { ...asked, order, equal, filter, source };
  }

  private shown(row: Row): Representation<Row> {
    const representation = withoutNulls(row);
    for (const name of this.table.hidden) Reflect.deleteProperty(representation, name);
    return representation;
  }

  /** What a response shows. The JSON and the entity tag of a long row take a millisecond, and hundreds may be ready at once. */
  private async shownInTurn(row: Row): Promise<Representation<Row>> {
    if (this.table.lengthOf(row) > LONG_ROW) await takeTurn();
    return this.shown(row);
  }

  /** Makes a row of the content. Columns that no client sends keep the values of `current`. */
  private rowOf(content: ObjectLiteral, current: ObjectLiteral = this.initial): Row {
    const row: ObjectLiteral = {};
    for (const { property } of this.table.columns) {
      const otherwise = this.assigned.has(property) ? current[property] : undefined;
      row[property] = content[property] ?? otherwise ?? null;
    }
    return Object.assign(row, this.visible) as Row;
  }

  /** @throws ApiException 40001 when the row breaks the rule of the resource. */
  private allowed(row: Row): Row {
    const problem = this.resource.rule?.(row);
    if (problem === undefined) return row;
    throw new ApiException(ErrorValue.InvalidBody, `${problem}.`);
  }

  private write(operation: Operation): Promise<Written<Row>> {
    return this.rows.change(operation.key, this.decisionOf(operation));
  }

  private decisionOf({ kind, key, content = {}, preconditions }: Operation): Decide<Row> {
    if (kind === 'create' || kind === 'put') {
      const keyed = { ...content, [this.table.key.property]: key };
      return (current) => {
        const replaced = current !== undefined && this.has(current) ? current : undefined;
        if (kind === 'put') this.assertAllowed(preconditions, replaced);
        if (current !== undefined && (kind === 'create' || replaced === undefined))
          throw this.taken(keyed, current);
        return this.allowed(this.rowOf(keyed, replaced));
      };
    }
    const given = withoutUndefined(content as Partial<Row>);
    return (current) => {
      if (current === undefined || !this.has(current)) throw this.unknown(key);
      this.assertAllowed(preconditions, current);
      return kind === 'delete' ? undefined : this.allowed({ ...current, ...given, ...this.visible });
    };
  }

  private taken(content: ObjectLiteral, current: Row): ApiException {
    const { noun, key } = this.table;
    return idTaken(noun, this.table.keyOf(current), key.property, this.isLike(content, current));
  }

  private isLike(content: ObjectLiteral, current: Row): boolean {
    return this.has(current) && this.table.isEqual(this.rowOf(content, current), current);
  }

  private unknown(key: Key): ApiException {
    return unknownResource(this.table.noun, key, this.table.key.property);
  }

  private assertAllowed({ ifMatch, mustNotExist }: Preconditions, current: Row | undefined): void {
    const isAllowed =
      current === undefined
        ? ifMatch === undefined
        : !mustNotExist &&
          (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(entityTag(this.shown(current))));
    if (!isAllowed) throw preconditionFailed();
  }
}

/** @throws ApiException 40001 when the JSON that a batch returns or replaces has too many characters. */
function assertLength(length: number): void {
  if (length <= MAX_BATCH_LENGTH) return;
  throw new ApiException(
    ErrorValue.InvalidBody,
    'The batch would change or delete more than 8 MiB. Send several batches.',
  );
}

function withoutUndefined<Row extends object>(fields: Partial<Row>): Partial<Row> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Row>;
}

/** A filter that keeps the rows that two filters keep. */
function bothOf(one: RowFilter | undefined, other: RowFilter | undefined): RowFilter | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    condition: `(${one.condition}) AND (${other.condition})`,
    parameters: [...one.parameters, ...other.parameters],
  };
}
