import { mean } from '../../../evaluate/index.ts';
import { defineProbe, type Measured } from './probe.ts';

/**
 * Answers in rounds: the mean reward of those to plain prompts and of later ones, the mean gain of the later
 * ones over the shown answer that each is compared with, and the share of their prompts that show something
 * (the others would have been too long).
 */
export const attempts = defineProbe({
  id: 'attempts',
  needs: ['row/round', 'row/base', 'row/reward', 'shown'],
  measure: ({ 'row/round': round, 'row/base': base, 'row/reward': reward, shown }): Measured => {
    const [first, later] = [round, round].map((all, part) =>
      [...all.keys()].filter((r) => (part === 0 ? all[r] === 0 : all[r] > 0)),
    );
    return {
      ...(first.length > 0 && { 'attempts/first': mean(first.map((r) => reward[r])) }),
      ...(later.length > 0 && {
        'attempts/later': mean(later.map((r) => reward[r])),
        'attempts/gain': mean(later.map((r) => reward[r] - base[r])),
        'attempts/shown': mean(later.map((r) => Number(shown[r] !== ''))),
      }),
    };
  },
});
