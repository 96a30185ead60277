import { writeFile } from 'node:fs/promises';
import { documentsOf, finished, nearDuplicates } from '../../../engine/data/doctor/near-duplicates.ts';
import { corpusOf } from './documents.ts';
import { peakMb, residentMb, serve } from './serve.ts';

await serve({
  /** Finds the near duplicates of generated documents; `file` gets the documents for the peer. */
  find: async ({
    count,
    seed,
    threshold,
    file,
  }: {
    count: number;
    seed: number;
    threshold: number;
    file?: string;
  }) => {
    const { texts, planted } = corpusOf(count, seed);
    if (file) await writeFile(file, texts.map((text) => JSON.stringify(text)).join('\n'));
    const loaded = residentMb();
    const start = performance.now();
    const { clusters, compared, skipped } = finished(nearDuplicates(documentsOf(texts), { threshold }));
    const seconds = (performance.now() - start) / 1000;
    const clusterOf = new Map(clusters.flatMap(({ rows }, at) => rows.map((row) => [row, at] as const)));
    const together = (a: number, b: number) => clusterOf.has(a) && clusterOf.get(a) === clusterOf.get(b);
    const near = planted.filter(({ similarity }) => similarity >= threshold);
    const sourceOf = new Map(planted.map(({ copy, source }) => [copy, source]));
    const origin = (row: number): number => {
      const source = sourceOf.get(row);
      return source === undefined ? row : origin(source);
    };
    const links = clusters.flatMap((cluster) => cluster.links);
    return {
      seconds,
      peakMb: peakMb(loaded),
      near: near.map(({ source, copy }) => [source, copy]),
      found: near.filter(({ source, copy }) => together(source, copy)).length,
      links: links.length,
      plantedLinks: links.filter(({ a, b }) => origin(a) === origin(b)).length,
      compared,
      skipped,
    };
  },
});
