-- Makes one cluster of the coordinator and its workers; what has been done already stays as it is.
CREATE EXTENSION IF NOT EXISTS citus;

SELECT citus_set_coordinator_host('citus-coordinator')
WHERE NOT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0);

SELECT citus_add_node('citus-worker-1', 5432);
SELECT citus_add_node('citus-worker-2', 5432);
