import { expect } from 'vitest';
import { type Service, TOKEN } from './service.js';

/** The series of a service with their values, by what stands before the value, such as `plant_store_database_up`. */
export async function readMetrics(service: Pick<Service, 'url'>): Promise<ReadonlyMap<string, number>> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${service.url}/metrics`, { headers });
  expect(response.status).toBe(200);
  const series = (await response.text()).split('\n').filter((line) => /^[^#]/.test(line));
  return new Map(
    series.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** The series of one metric: what is between the braces, with the value. */
export function seriesOf(metrics: ReadonlyMap<string, number>, name: string): Record<string, number> {
  const own = [...metrics].filter(([series]) => series.startsWith(`${name}{`));
  return Object.fromEntries(own.map(([series, value]) => [series.slice(name.length + 1, -1), value]));
}
