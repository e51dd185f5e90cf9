-- Makes one cluster of the coordinator and its workers; what has been done already stays as it is. Stop services that keep changes
-- first: their next start on the cluster drops the changes and the triggers with which no table can be distributed.
CREATE EXTENSION IF NOT EXISTS citus;

SELECT citus_set_coordinator_host('citus-coordinator');

SELECT citus_add_node('citus-worker-1', 5432);
SELECT citus_add_node('citus-worker-2', 5432);

-- The settings of the database, which Citus sets on all nodes. New sessions have them, so they come before the service.
DO $$ BEGIN
  -- A session opens one connection to each worker. With the default of 16, a few instances take all that a worker has.
  EXECUTE format('ALTER DATABASE %I SET citus.max_adaptive_executor_pool_size = 1', current_database());
  -- The minor releases of PostgreSQL of 2026 have this setting, and move plants only with it.
  IF current_setting('output_plugin_libraries', true) IS NOT NULL THEN
    EXECUTE format('ALTER DATABASE %I SET output_plugin_libraries = citus, pgoutput', current_database());
  END IF;
END $$;
