import * as z from 'zod';
import { defineController } from '../kernel/control.ts';
import { levelOf } from './outcomes.ts';

const share = z.number().min(0).max(1);

/** start + (base^t − 1) ⁄ (base − 1) · (end − start), the limit t · (end − start) for base 1. */
export const risenTo = (
  t: number,
  { start, end, base }: { readonly start: number; readonly end: number; readonly base: number },
): number => {
  const risen = Math.abs(base - 1) < 1e-9 ? t : (base ** t - 1) / (base - 1);
  return start + risen * (end - start);
};

/**
 * A curriculum of noise (ZeroSearch: Sun et al. 2025, arXiv:2505.04588, section 3.4): the share of useless
 * documents rises by p = p_s + (b^(i⁄m) − 1) ⁄ (b − 1) · (p_e − p_s). The noise of a task is its level, so
 * each problem is drawn from one of the two levels beside p · levels, with odds that make p the mean.
 */
export const zerosearch = defineController({
  id: 'zerosearch',
  title: 'Noise that rises',
  summary:
    'Draws problems from ever higher levels, slowly at first: in the world `lookup` a level is a share of ' +
    'documents that mislead. For tasks with levels.',
  cites: 'arXiv:2505.04588',
  params: z.strictObject({
    start: share.default(0.25).describe('Share of the highest level at the beginning.'),
    end: share.default(1).describe('Share of the highest level at the end.'),
    base: z.number().positive().max(1000).default(4).describe('How late it rises: 1 is a straight line.'),
    levels: z.int().min(2).max(64).default(4).describe('The highest level of the task.'),
  }),
  open: ({ levels, ...course }) => {
    let now = course.start;
    return {
      choose: (candidates, batch, turn) => {
        now = risenTo(turn.progress, course);
        const random = turn.random('noise');
        const waiting = [...candidates];
        return Array.from({ length: batch }, () => {
          const aim = now * levels;
          const wanted = Math.max(1, Math.floor(aim) + Number(random.next() < aim - Math.floor(aim)));
          // candidates of a level may have run out
          const distance = waiting.map((one) => Math.abs(levelOf(one) - wanted));
          const at = distance.indexOf(Math.min(...distance));
          return waiting.splice(Math.max(0, at), 1)[0] ?? candidates[0];
        });
      },
      metrics: () => ({ share: now }),
    };
  },
});
