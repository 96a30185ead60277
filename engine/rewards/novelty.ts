import * as z from 'zod';
import { cosineOfCounts, groupsOf, ngrams } from './groups.ts';
import { defineReward } from './reward.ts';

const Saved = z.object({ archive: z.array(z.string()) });

/**
 * Novelty search (Lehman and Stanley 2011): 1 − the mean similarity to the k nearest of the archive and the
 * rest of the group. Similarity is the cosine of character n-gram counts. The archive holds the newest
 * distinct answers of earlier batches, each scored before it is added.
 */
export const novelty = defineReward({
  id: 'novelty',
  title: 'Novelty against an archive',
  summary:
    'A bonus for answers unlike earlier ones of the run. Give it a small weight next to a task reward.',
  params: z.strictObject({
    nearest: z.int().min(1).max(100).default(5).describe('Nearest neighbours that are averaged over.'),
    archive: z
      .int()
      .min(0)
      .max(10_000)
      .default(500)
      .describe('Distinct answers of earlier batches that are kept.'),
    size: z.int().min(1).max(16).default(3).describe('Characters of an n-gram.'),
  }),
  compares: true,
  scorer: ({ nearest, archive: most, size }) => {
    let archive: string[] = [];
    return {
      score: (rows) => {
        const past = archive.map((text) => ngrams(text, size));
        const own = rows.map(({ completion }) => ngrams(completion, size));
        const scores = new Float64Array(rows.length);
        for (const group of groupsOf(rows))
          for (const r of group) {
            const others = [...past, ...group.filter((s) => s !== r).map((s) => own[s])];
            const similar = others
              .map((other) => cosineOfCounts(own[r], other))
              .sort((a, b) => b - a)
              .slice(0, nearest);
            scores[r] = similar.length === 0 ? 1 : 1 - similar.reduce((a, b) => a + b, 0) / similar.length;
          }
        archive =
          most === 0
            ? []
            : [...new Set([...archive, ...rows.map(({ completion }) => completion)])].slice(-most);
        return scores;
      },
      state: () => ({ archive }),
      restore: (saved: unknown) => {
        ({ archive } = Saved.parse(saved));
      },
    };
  },
});
