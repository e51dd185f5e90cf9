import { type Batch, batches, type GroupCommit, refusedWrites } from '../store/group-commit.js';
import { sharedReads } from '../store/rows.js';
import type { Meter } from './meter.js';

/** Measures the queue of writes and their batches, and the reads that share a statement. */
export function measureStore(meter: Meter, commits: GroupCommit): void {
  meter.gauge(
    { name: 'plant_store_write_queue_length', help: 'Writes that wait for the database.' },
    () => commits.length,
  );
  meter.gauge(
    {
      name: 'plant_store_write_queue_limit',
      help: 'Writes that may wait for the database; more are refused.',
    },
    () => commits.limit,
  );
  const refusals = meter.counter({
    name: 'plant_store_write_queue_refusals_total',
    help: 'Writes refused because too many were waiting.',
  });
  meter.listen(refusedWrites, () => refusals.inc());
  const writes = meter.counter({ name: 'plant_store_batch_writes_total', help: 'Writes in all batches.' });
  const durations = meter.histogram(
    'plant_store_batch_duration_seconds',
    'Time to write a batch of writes and to commit it.',
  );
  meter.listen(batches.asyncEnd, (batch: Batch) => {
    writes.inc(batch.writes.length);
    durations.observe((performance.now() - batch.begunAt) / 1000);
  });
  const reads = meter.counter({ name: 'plant_store_reads_total', help: 'Reads of a row by its key.' });
  const statements = meter.counter({
    name: 'plant_store_read_statements_total',
    help: 'Statements for the reads of a row by its key, which they share.',
  });
  meter.listen(sharedReads, (shared: number) => {
    reads.inc(shared);
    statements.inc();
  });
}
