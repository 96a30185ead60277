import * as z from 'zod';
import { openedAt } from './checkpoints.ts';
import { defineReward, type AnswerRow } from './reward.ts';

const judge = (does: string) =>
  z.string().min(1).describe(`Checkpoint of a verifier: the probability that ${does}.`);
const probability = (score: number): number => Math.min(1, Math.max(0, score));

/**
 * Faithfulness to a persona, statement by statement (APC, arXiv:2405.07726, eq. 1): the mean over statements s
 * of P(relevant) · P(entailed) + (1 − P(relevant)) · (1 − P(contradicted)): statements that the prompt asks
 * about must follow from the answer, the others must not be contradicted. The three judges are verifiers
 * (`outcome-verifier`) trained on rows whose prompt is `statement`, a line break and the prompt (for relevance the
 * statement alone), and whose answer is the answer (for relevance the prompt).
 */
export const persona = defineReward({
  id: 'persona',
  title: 'Faithful to a persona',
  summary:
    'Statements of a persona that the prompt asks about must follow from the answer, the others must not be ' +
    'contradicted; three trained verifiers tell.',
  params: z.strictObject({
    statements: z
      .array(z.string().min(1).max(400))
      .min(1)
      .max(64)
      .default(['I am a persona.'])
      .describe('What is true of the persona, one statement each.'),
    relevance: judge('a prompt asks about a statement'),
    entailment: judge('an answer says what a statement says'),
    contradiction: judge('an answer denies a statement'),
  }),
  needs: ['checkpoint'],
  scorer: async ({ statements, ...ids }, { checkpoint, where = 'rewards: persona' }) => {
    const [relevance, entailment, contradiction] = await Promise.all(
      (['relevance', 'entailment', 'contradiction'] as const).map((name) =>
        openedAt(checkpoint, ids[name], `${where}.params.${name}`),
      ),
    );
    return async (rows) => {
      const scores = new Float64Array(rows.length);
      for (const statement of statements) {
        const about = rows.map((row): AnswerRow => ({
          ...row,
          prompt: `${statement}\n${row.prompt}`,
          reference: null,
        }));
        const asked = await relevance.score(
          rows.map((row) => ({ ...row, prompt: statement, completion: row.prompt, reference: null })),
        );
        const [says, denies] = [await entailment.score(about), await contradiction.score(about)];
        asked.forEach((of, r) => {
          const relevant = probability(of);
          const faithful = relevant * probability(says[r]) + (1 - relevant) * (1 - probability(denies[r]));
          scores[r] += faithful / statements.length;
        });
      }
      return scores;
    };
  },
});
