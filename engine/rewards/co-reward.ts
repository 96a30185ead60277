import * as z from 'zod';
import { majorityOf } from './groups.ts';
import { defineReward, type AnswerRow } from './reward.ts';
import { partFields, partOf } from './verifiers/match.ts';

/** Prompts whose majorities are cached; others are computed again. */
const KEPT = 65_536;

/**
 * Agreement across two wordings of a prompt (Co-Reward: Zhang et al. 2025, arXiv:2508.00410): 1 if the
 * answer is the majority answer to the other wording, else 0. Here the other wording is a template around
 * the prompt, and its answers come from the run's initial model: a teacher that does not drift with the
 * policy, so that the policy cannot gain agreement by collapsing to one answer. Ties count as in `majority`.
 */
export const coReward = defineReward({
  id: 'co-reward',
  title: 'Agreement across wordings',
  summary:
    'Agreement with the initial model’s majority answer to the same prompt in other words. Needs ' +
    'no reference.',
  params: z.strictObject({
    template: z
      .string()
      .min(1)
      .max(2000)
      .refine((text) => text.includes('{prompt}'), 'must contain {prompt}')
      .default('{prompt}')
      .describe(
        'The other wording; {prompt} stands for the prompt itself. The tokenizer must be able to ' +
          'encode it.',
      ),
    answers: z.int().min(1).max(64).default(8).describe('Answers to the other wording that vote.'),
    ...partFields,
  }),
  needs: ['initial'],
  scorer: ({ template, answers, ...part }, { initial }) => {
    const known = new Map<string, ReadonlySet<string>>();
    const learn = async (rows: readonly AnswerRow[]): Promise<void> => {
      const missing = [
        ...new Map(
          rows.filter(({ promptId }) => !known.has(promptId)).map((row) => [row.promptId, row]),
        ).values(),
      ];
      if (missing.length === 0) return;
      const reworded = missing.map((row) => ({
        ...row,
        promptId: `${row.promptId}/reworded`,
        prompt: template.replaceAll('{prompt}', () => row.prompt),
      }));
      const written = await initial.answers(reworded, answers);
      missing.forEach(({ promptId }, at) =>
        known.set(
          promptId,
          majorityOf(
            written.slice(at * answers, (at + 1) * answers).map(({ completion }) => partOf(completion, part)),
          ),
        ),
      );
    };
    return async (rows) => {
      if (known.size > KEPT) known.clear();
      await learn(rows);
      return Float64Array.from(rows, ({ promptId, completion }) => {
        const vote = partOf(completion, part);
        return Number(vote !== null && (known.get(promptId)?.has(vote) ?? false));
      });
    };
  },
});
