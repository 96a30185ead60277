import { TEXT_WIDTH } from '../../../engine/index.ts';
import type { EngineCall } from '../../engine-host/host.ts';
import { featuresOf, type RowPages } from './features.ts';

/**
 * Clusters rows by their texts: k-means over hashed words, seeded. Clusters are numbered by their size, from 0.
 */
export async function clustersOf(
  pages: RowPages,
  { clusters, seed }: { readonly clusters: number; readonly seed: number },
  call: EngineCall,
  report: (done: number) => void,
): Promise<{ readonly row: number; readonly cluster: number }[]> {
  const { rows, values } = await featuresOf(pages, report);
  const found = await call('clusters', { values, width: TEXT_WIDTH, clusters, seed });
  const sizes = new Map<number, number>();
  for (const cluster of found) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  const ranked = [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([cluster]) => cluster);
  const names = new Map(ranked.map((cluster, rank) => [cluster, rank]));
  return rows.map((row, i) => ({ row, cluster: names.get(found[i]) ?? 0 }));
}
