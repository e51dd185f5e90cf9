import { describe, expect, test } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptyDatabase, emptySqlite } from '../support/database.js';
import { withoutOtherFields } from '../support/plants.js';

describe('a store', () => {
  test('moves from SQLite to PostgreSQL and back without a change', async () => {
    const stores = [emptySqlite(), await emptyDatabase(), emptySqlite()];
    const step = (1n << 64n) / 5000n;
    const plants = Array.from(
      { length: 5000 },
      (_, index) => `{"id":${-(1n << 63n) + BigInt(index) * step},"name":"Säge ${index}","tag":"🌱"}\n`,
    ).join('');

    let moved = plants;
    for (const store of stores) {
      await plantStore(store, ['import'], moved);
      moved = (await plantStore(store, ['export'])).stdout;
    }

    expect(withoutOtherFields(moved)).toBe(plants);
  });
});
