import type { DataSource, ObjectLiteral } from 'typeorm';
import type { ReadPart, Site, Sites, WriteStatement } from '../../src/kernel/store/sites.js';
import { run } from '../../src/kernel/store/queries.js';
import type { Key } from '../../src/kernel/store/table.js';

/** Gardens with even ids are at one site, all others at another one, until they move. */
export class SplitSites implements Sites {
  readonly disorder = undefined;
  readonly isDetoured = false;
  private readonly sites: readonly HalfSite[];
  private moves = 0n;

  constructor(private readonly dataSource: DataSource) {
    this.sites = [0n, 1n].map((half) => new HalfSite(dataSource, () => (half + this.moves) % 2n));
  }

  /** Moves every row to the other site. */
  move(): void {
    this.moves += 1n;
  }

  siteOf(_table: unknown, key: Key): Site {
    return this.sites.find((site) => site.has(key)) as Site;
  }

  page<Part>(_table: unknown, read: ReadPart<Part>): Promise<Part[]> {
    return Promise.all(this.sites.map(({ rows }) => read(this.dataSource, rows, 1 / 2)));
  }
}

class HalfSite implements Site {
  constructor(
    private readonly dataSource: DataSource,
    private readonly half: () => bigint,
  ) {}

  get rows(): string {
    return `(SELECT * FROM gardens WHERE abs(id % 2) = ${this.half()}) AS gardens`;
  }

  has(key: Key): boolean {
    return BigInt.asUintN(1, BigInt(key)) === this.half();
  }

  query(text: string, parameters?: unknown[]): Promise<unknown> {
    return this.dataSource.query(text, parameters);
  }

  find(keys: readonly Key[], write: WriteStatement): Promise<ObjectLiteral[]> {
    return run(this, write(keys.every((key) => this.has(key)) ? this.rows : undefined));
  }
}
