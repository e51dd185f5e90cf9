-- Spreads the plants over the workers by their ids, once the service has made the table. Access tokens stay on the
-- coordinator: they are few, and every instance keeps those it has seen.
SELECT create_distributed_table('plants', 'id')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'plants'::regclass);
