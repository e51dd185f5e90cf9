import { DataSource } from 'typeorm';
import { Cluster, type Open } from './cluster.js';

/** A data source on PostgreSQL. It knows the workers if that is the coordinator of a Citus cluster. */
export class PostgresDataSource extends DataSource {
  cluster: Cluster | undefined;

  async findCluster(open: Open): Promise<void> {
    const [found] = await this.query<{ name: string | null }[]>(
      "SELECT to_regclass('pg_dist_partition') AS name",
    );
    if (!found?.name) return;
    this.cluster = new Cluster(this, await open(), open);
    await this.cluster.read();
  }

  /** Reads the entities without the database. @throws TypeORMError when one of them is wrong. */
  describeEntities(): Promise<void> {
    return this.buildMetadatas();
  }

  override async destroy(): Promise<void> {
    await this.cluster?.close();
    await super.destroy();
  }
}
