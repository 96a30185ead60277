import * as z from 'zod';
import type { Problem } from '../kernel/columns.ts';
import { defineController } from '../kernel/control.ts';
import { levelOf, outcomesOf } from './outcomes.ts';

const Saved = z.object({
  prompts: z.array(z.tuple([z.string(), z.number()])),
  levels: z.array(z.tuple([z.number(), z.number()])),
});
/** Maximum number of prompts whose hint is stored. */
const REMEMBERED = 20_000;

/**
 * Guided hybrid policy optimization (Liu et al. 2025, arXiv:2507.10628): a prompt that no answer of its
 * group solves gets a longer hint from its worked answer the next time, up to `most`; one solved more often
 * than not gets a shorter one. All other prompts get no hint. The paper resamples the same prompt at once;
 * here the hint waits for the prompt's next turn, and a new prompt starts with the average of its level's
 * groups.
 */
export const ghpo = defineController({
  id: 'ghpo',
  title: 'Hints for hard prompts',
  summary:
    'Prompts that no answer solves get a part of their worked answer as a hint, and a longer one ' +
    'if that is not enough. For tasks with worked answers.',
  cites: 'arXiv:2507.10628',
  params: z.strictObject({
    step: z
      .number()
      .positive()
      .max(1)
      .default(0.25)
      .describe('Share of the worked answer by which a hint grows or shrinks.'),
    most: z.number().min(0).max(1).default(0.75).describe('Longest hint, as a share of the worked answer.'),
  }),
  open: ({ step, most }) => {
    let prompts = new Map<string, number>();
    let levels = new Map<number, number>();
    const shown = (problem: Problem): number =>
      prompts.get(problem.promptId) ?? Math.floor((levels.get(levelOf(problem)) ?? 0) / step + 1e-9) * step;
    return {
      hints: (problems) => problems.map((problem) => Math.min(most, shown(problem))),
      observe: (table) => {
        const outcomes = outcomesOf(table).map((one) => {
          const before = one.problem.hint?.share ?? 0;
          const next = one.flat
            ? Math.min(most, before + step)
            : one.success > 0.5
              ? Math.max(0, before - step)
              : before;
          return { ...one, next };
        });
        for (const { problem, next } of outcomes) {
          prompts.delete(problem.promptId);
          prompts.set(problem.promptId, next);
        }
        for (const [level, own] of Map.groupBy(outcomes, ({ problem }) => levelOf(problem)))
          levels.set(level, own.reduce((sum, { next }) => sum + next, 0) / own.length);
        for (const oldest of prompts.keys()) {
          if (prompts.size <= REMEMBERED) break;
          prompts.delete(oldest);
        }
      },
      metrics: () => Object.fromEntries([...levels].map(([level, hint]) => [`level-${level}`, hint])),
      state: () => ({ prompts: [...prompts], levels: [...levels] }),
      restore: (saved) => {
        const read = Saved.parse(saved);
        [prompts, levels] = [new Map(read.prompts), new Map(read.levels)];
      },
    };
  },
});
