import * as z from 'zod';
import { defineReward, type AnswerRow } from './reward.ts';

const text = z.string().min(1).max(200);

/** What the monitor gives each line of an answer: 1 ⁄ n for a milestone; what was earned, back, for a breach. */
const earnedBy = (
  lines: readonly string[],
  { milestones, never }: { readonly milestones: readonly string[]; readonly never: readonly string[] },
): number[] => {
  let reached = 0;
  let broken = false;
  return lines.map((line) => {
    if (broken) return 0;
    if (never.some((each) => line.includes(each))) {
      broken = true;
      return reached === 0 ? 0 : -reached / milestones.length;
    }
    if (reached < milestones.length && line.includes(milestones[reached])) {
      reached++;
      return 1 / milestones.length;
    }
    return 0;
  });
};

/**
 * A finite-state monitor over the lines of an answer: its states are the milestones reached so far, and a
 * line moves to the next one; forbidden text ends in a state without reward. In temporal logic: F(m₁ ∧ X F(m₂
 * ∧ …)) ∧ G ¬never, with the share of milestones as partial credit (state charts as rewards: Text-to-Drive,
 * arXiv:2406.04300). Each line is credited with its own move.
 */
export const monitor = defineReward({
  id: 'monitor',
  title: 'Milestones in order',
  summary:
    'Share of given texts that the lines of an answer contain, in this order; 0 if a line contains a ' +
    'forbidden one. Credit goes to the lines.',
  params: z.strictObject({
    milestones: z
      .array(text)
      .min(1)
      .max(32)
      .default(['#'])
      .describe('Texts that lines contain, one after the other.'),
    never: z.array(text).max(32).default([]).describe('Texts that no line may contain.'),
  }),
  scorer: (rules) => (rows: readonly AnswerRow[]) => {
    const earned = rows.map(({ completion }) => earnedBy(completion.split('\n'), rules));
    const offsets = new Uint32Array(rows.length + 1);
    earned.forEach((lines, r) => {
      offsets[r + 1] = offsets[r] + lines.length;
    });
    return {
      value: Float64Array.from(earned, (lines) => lines.reduce((sum, each) => sum + each, 0)),
      lines: { values: Float64Array.from(earned.flat()), offsets },
    };
  },
});
