-- Distributes the plants over the workers by id, after the service has created the table, while the service runs. Gives each node the
-- other tables, so that it serves requests without the coordinator; writes to these need every node. A run that failed may be repeated.
SELECT NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'plants'::regclass AND partmethod = 'h') AS is_local \gset
\if :is_local
  -- Four shards for each worker: each makes every statement more expensive (a batch of creates takes 1.4 times as long as with one, with 16 it takes
  -- 2.3 times), but the cluster cannot have more workers than shards.
  SELECT 4 * count(*) AS shards FROM citus_get_active_worker_nodes() \gset
  SELECT create_distributed_table_concurrently('plants', 'id', shard_count => :shards);
  -- The rows that the coordinator had before.
  SELECT truncate_local_data_after_distributing_table('plants');
\endif

-- Each in a transaction of its own; the deliveries refer to the webhooks.
SELECT format('SELECT create_reference_table(%L)', name)
FROM unnest(ARRAY['migrations', 'access_tokens', 'webhooks', 'webhook_deliveries']) AS name
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass AND repmodel = 't') \gexec
