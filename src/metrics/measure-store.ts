import { type Batch, batches, type GroupCommit, refusedWrites } from '../store/group-commit.js';
import { sharedReads } from '../store/rows.js';
import { Durations } from './durations.js';
import type { Meter } from './meter.js';

/** Measures the queue of writes and their batches, and the reads that share a statement. */
export function measureStore(meter: Meter, commits: GroupCommit): void {
  const durations = new Durations();
  const counts = { writes: 0, refusals: 0, reads: 0, readStatements: 0 };
  meter.listen(batches.asyncEnd, ({ writes, begunAt }: Batch) => {
    counts.writes += writes.length;
    durations.add(performance.now() - begunAt);
  });
  meter.listen(refusedWrites, () => (counts.refusals += 1));
  meter.listen(sharedReads, (reads: number) => {
    counts.reads += reads;
    counts.readStatements += 1;
  });
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
  meter.counter(
    {
      name: 'plant_store_write_queue_refusals_total',
      help: 'Writes refused because too many were waiting.',
    },
    () => counts.refusals,
  );
  meter.counter(
    { name: 'plant_store_batch_writes_total', help: 'Writes in all batches.' },
    () => counts.writes,
  );
  meter.histogram(
    {
      name: 'plant_store_batch_duration_seconds',
      help: 'Time to write a batch of writes and to commit it.',
    },
    () => [[{}, durations]],
  );
  meter.counter({ name: 'plant_store_reads_total', help: 'Reads of a row by its key.' }, () => counts.reads);
  meter.counter(
    {
      name: 'plant_store_read_statements_total',
      help: 'Statements for the reads of a row by its key, which they share.',
    },
    () => counts.readStatements,
  );
}
