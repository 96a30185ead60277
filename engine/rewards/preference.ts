import * as z from 'zod';
import { theSandbox, type Data, type Outcome } from '../sandbox/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import { groupsOf } from './groups.ts';
import { defineReward, type AnswerRow, type RowFault } from './reward.ts';

const given = ({ prompt, completion, reference = null, tokens }: AnswerRow): Data => ({
  prompt,
  completion,
  reference,
  tokens,
});

/** The probability that an outcome states, or the reason why it is none. */
const stated = (outcome: Outcome): number | Omit<RowFault, 'row'> => {
  if (!outcome.ok) return outcome.error;
  const value = typeof outcome.value === 'boolean' ? Number(outcome.value) : outcome.value;
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  return {
    kind: 'not-a-probability',
    message: `It returned ${JSON.stringify(outcome.value).slice(0, 80)}, which is no number from 0 to 1.`,
  };
};

/**
 * Win rate in the group under a preference: r_i = mean over j ≠ i of P(y_i ≻ y_j), from the user's own function of
 * two answers (SPO: Swamy et al. 2024, arXiv:2401.04056, algorithm 1). No reward model stands between, so that the
 * preference may be intransitive. ½ for an answer alone.
 */
export const preference = defineReward({
  id: 'preference',
  title: 'Own preference',
  summary: 'Your own function of two answers; each earns its win rate against the others of its prompt.',
  params: z.strictObject({
    code: z
      .string()
      .min(1)
      .max(20_000)
      .default('(a, b) => a.tokens === b.tokens ? 0.5 : a.tokens < b.tokens')
      .meta({ format: 'javascript' })
      .describe(
        'A function of two answers { prompt, completion, reference, tokens }: the probability that the ' +
          'first is preferred, or true or false. It runs in isolation.',
      ),
    timeMs: z.int().min(10).max(5000).default(500).describe('Longest time for one pair, in milliseconds.'),
  }),
  compares: true,
  scorer:
    ({ code, timeMs }, { rehearsal }) =>
    async (rows) => {
      const pairs = groupsOf(rows).flatMap((group) =>
        group.flatMap((r) => group.flatMap((s) => (r === s ? [] : [{ r, s }]))),
      );
      const outcomes = await theSandbox().runJs(
        pairs.map(({ r, s }) => ({ code, args: [given(rows[r]), given(rows[s])] })),
        { timeMs },
      );
      const wins = new Float64Array(rows.length);
      const rivals = new Float64Array(rows.length);
      pairs.forEach(({ r, s }, at) => {
        const value = stated(outcomes[at]);
        // errors on the synthetic answers of a rehearsal are ignored
        if (typeof value !== 'number' && !rehearsal) throw failure(value, rows[r], rows[s]);
        wins[r] += typeof value === 'number' ? value : 0.5;
        rivals[r] += 1;
      });
      return wins.map((won, r) => (rivals[r] === 0 ? 0.5 : won / rivals[r]));
    },
});

const failure = ({ kind, message }: Omit<RowFault, 'row'>, a: AnswerRow, b: AnswerRow): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    `The preference's code failed (${kind}) on ${shown(a)} and ${shown(b)}: ${message}`,
    { where: 'rewards: preference.code', hint: 'Copy the run and mend the code.' },
  );
const shown = ({ completion }: AnswerRow): string => JSON.stringify(completion.slice(0, 100));
