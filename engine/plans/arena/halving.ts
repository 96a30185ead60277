import { leastOf, rewardsOf, type ArenaRule } from './rule.ts';

/**
 * Each candidate once, the best ⌈1/η⌉ of them once more, and so on; the last one gets what is left. One that is added
 * joins the rung in progress; one that is paused keeps its place in it.
 */
export const halving: ArenaRule = {
  id: 'successive-halving',
  title: 'Successive halving',
  summary: 'Rungs: every candidate gets a budget, then the best of them by their newest evaluation.',
  pick: (pulls, among, { eta }) => {
    const known = new Set<number>();
    let alive: readonly number[] = [];
    let due: readonly number[] = [];
    for (let at = 0; ; at++) {
      const now = pulls[at]?.among ?? among;
      const added = now.filter((arm) => !known.has(arm));
      for (const arm of added) known.add(arm);
      [alive, due] = [
        [...alive, ...added],
        [...due, ...added],
      ];
      if (!due.some((arm) => now.includes(arm))) {
        const newest = (arm: number): number => rewardsOf(pulls.slice(0, at), arm).at(-1) ?? 0;
        const ranked = alive.toSorted((a, b) => newest(b) - newest(a) || a - b);
        alive = ranked.slice(0, Math.max(1, Math.ceil(alive.length / eta))).toSorted((a, b) => a - b);
        due = alive;
      }
      if (at === pulls.length)
        return (
          due.find((arm) => now.includes(arm)) ?? leastOf(now, (arm) => -(rewardsOf(pulls, arm).at(-1) ?? 0))
        );
      due = due.filter((arm) => arm !== pulls[at].arm);
    }
  },
};
