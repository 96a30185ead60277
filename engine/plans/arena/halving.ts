import { rewardsOf, type ArenaRule } from './rule.ts';

/** Each candidate once, the best ⌈1/η⌉ of them once more, and so on; the last one gets what is left. */
export const halving: ArenaRule = {
  id: 'successive-halving',
  title: 'Successive halving',
  summary: 'Rungs: every candidate gets a budget, then the best of them by their newest evaluation.',
  pick: (pulls, arms, { eta }) => {
    let alive = Array.from({ length: arms }, (_none, arm) => arm);
    let done = 0;
    for (;;) {
      if (alive.length === 1) return alive[0];
      const next = pulls.length - done;
      if (next < alive.length) return alive[next];
      done += alive.length;
      const newest = rewardsOf(pulls.slice(0, done), arms).map((own) => own[own.length - 1] ?? 0);
      alive = alive
        .toSorted((a, b) => newest[b] - newest[a] || a - b)
        .slice(0, Math.max(1, Math.ceil(alive.length / eta)))
        .toSorted((a, b) => a - b);
    }
  },
};
