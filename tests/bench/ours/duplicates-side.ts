import { readFile, writeFile } from 'node:fs/promises';
import { documentsOf, finished, nearDuplicates } from '../../../engine/data/doctor/near-duplicates.ts';
import { corpusOf, type Planted } from './documents.ts';
import { peakMb, residentMb, serve } from './serve.ts';

await serve({
  /** Writes generated documents, one JSON string a line, and returns the planted copies. */
  make: async ({ count, seed, file }: { count: number; seed: number; file: string }) => {
    const { texts, planted } = corpusOf(count, seed);
    await writeFile(file, texts.map((text) => JSON.stringify(text)).join('\n'));
    return planted;
  },
  /** Finds the near duplicates of a file of documents, and judges them by the planted copies. */
  find: async ({
    threshold,
    file,
    planted,
  }: {
    threshold: number;
    file: string;
    planted: readonly Planted[];
  }) => {
    const texts = (await readFile(file, 'utf8')).split('\n').map((line) => JSON.parse(line) as string);
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
