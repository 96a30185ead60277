/** Selects answers of a group by their rewards. */
import type { RandomStream } from '../../../random/random.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf, ranked } from '../math/groups.ts';

/** The answers that are kept: the best ones; the best and random others; the best and the worst. */
export type Kept = 'best' | 'best-random' | 'best-worst';

/** Indices of `count` of these rows, without replacement. */
const drawn = (rows: readonly number[], count: number, random: RandomStream): number[] => {
  const left = [...rows];
  return Array.from({ length: Math.min(count, rows.length) }, () =>
    left.splice(Math.min(Math.floor(random.next() * left.length), left.length - 1), 1),
  ).flat();
};

/**
 * Keeps `keep` answers per group by their rewards (arXiv:2409.06957, policy filtration): a reward model is
 * most reliable at the extremes of its scores. `best-worst` keeps one more of the best if the number is odd.
 */
export const keepExtremes = ({ kept, keep }: { readonly kept: Kept; readonly keep: number }) =>
  stage({
    id: `keepExtremes(${kept}, ${keep})`,
    station: 'selection',
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }, context) => {
      const random = context.random('filtered answers');
      const best = kept === 'best' ? keep : Math.ceil(keep / 2);
      const rows = ranked(groupId, rewards_R).flatMap((group) => {
        if (group.length <= keep || kept === 'best') return group.slice(0, keep);
        const others = group.slice(best);
        return [
          ...group.slice(0, best),
          ...(kept === 'best-worst'
            ? others.slice(others.length - (keep - best))
            : drawn(others, keep - best, random)),
        ];
      });
      return { columns: {}, from_R: Uint32Array.from(rows.sort((a, b) => a - b)) };
    },
  });

/** Faults of an answer: replies of a tool that are errors, and an answer that the model did not end. */
export const faultsOf = (completion: string, ended: number): number =>
  [...completion.matchAll(/\berror\b/gi)].length + Number(ended === 0);

/**
 * Resample on correct (arXiv:2508.20722): of each group, keeps half of the answers: wrong ones at random, in
 * their share of the group, and right ones (reward above ½) with probability proportional to 1 ⁄ (1 +
 * faults)², so that right answers with tool errors or without an end are imitated less often while wrong
 * ones stay as diverse as they are.
 */
export const resampleOnCorrect = stage({
  id: 'resampleOnCorrect',
  station: 'selection',
  needs: ['groupId', 'reward/total', 'completion', 'ended'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R, completion, ended }, context) => {
    const random = context.random('resampled answers');
    const rows = groupsOf(groupId).flatMap((group) => {
      const right = group.filter((r) => rewards_R[r] > 0.5);
      const wrong = group.filter((r) => rewards_R[r] <= 0.5);
      const keep = Math.ceil(group.length / 2);
      const wrongs = Math.round((keep * wrong.length) / group.length);
      const weight = (r: number) => 1 / (1 + faultsOf(completion[r], ended[r])) ** 2;
      // Efraimidis and Spirakis: the largest u^(1 ⁄ w) are a weighted sample without replacement
      const keys = new Map(right.map((r) => [r, Math.log(1 - random.next()) / weight(r)]));
      return [
        ...drawn(wrong, wrongs, random),
        ...right.sort((a, b) => (keys.get(b) ?? 0) - (keys.get(a) ?? 0)).slice(0, keep - wrongs),
      ];
    });
    return { columns: {}, from_R: Uint32Array.from(rows.sort((a, b) => a - b)) };
  },
});
