import type { Columns } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';

type Credited = Pick<Columns, 'mask' | 'advantage'>;

/** A row's advantage on each of its tokens, or its own where `value` gives none. */
const withAdvantage = ({ mask, advantage }: Credited, value: (r: number) => number | undefined) => {
  const values = advantage.values.slice();
  for (let r = 0; r < mask.offsets.length - 1; r++) {
    const own = value(r);
    if (own === undefined) continue;
    for (let at = mask.offsets[r]; at < mask.offsets[r + 1]; at++) values[at] = mask.values[at] ? own : 0;
  }
  return { ...advantage, values };
};

/**
 * Judges replayed answers by today's standard (arXiv:2509.22601): their advantage becomes (reward − median
 * of the fresh rewards) ÷ (their deviation + 1e-6). Those that are no better than that have advantage 0,
 * and leave the buffer.
 */
export const rebaselined = stage({
  id: 'rebaselined',
  station: 'credit',
  needs: ['mask', 'advantage', 'reward/total', 'row/fresh', 'row/priority'],
  adds: ['advantage', 'row/priority'],
  run: async ({ mask, advantage, 'reward/total': reward, 'row/fresh': fresh, 'row/priority': priority }) => {
    const recent = reward.filter((_, r) => fresh[r] === 1).sort();
    const n = recent.length;
    const median = n === 0 ? 0 : (recent[(n - 1) >> 1] + recent[n >> 1]) / 2;
    const mean = recent.reduce((a, b) => a + b, 0) / Math.max(n, 1);
    const sd = Math.sqrt(recent.reduce((sum, r) => sum + (r - mean) ** 2, 0) / Math.max(n, 1)) + 1e-6;
    const better = (r: number) => Math.max(0, (reward[r] - median) / sd);
    return {
      columns: {
        advantage: withAdvantage({ mask, advantage }, (r) => (fresh[r] ? undefined : better(r))),
        'row/priority': priority.map((p, r) => (fresh[r] || better(r) > 0 ? p : 0)),
      },
    };
  },
});
