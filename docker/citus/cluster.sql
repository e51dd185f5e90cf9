-- Makes one cluster of the coordinator and its workers; what has been done already stays as it is.
CREATE EXTENSION IF NOT EXISTS citus;

SELECT citus_set_coordinator_host('citus-coordinator')
WHERE NOT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0);

SELECT citus_add_node('citus-worker-1', 5432);
SELECT citus_add_node('citus-worker-2', 5432);

-- A session keeps a connection to each shard that a batch writes. Citus keeps one for each worker, and would open the others
-- anew for each batch. New sessions have this, so it comes before the service.
DO $$ BEGIN
  EXECUTE format('ALTER DATABASE %I SET citus.max_cached_conns_per_worker = 16', current_database());
END $$;
