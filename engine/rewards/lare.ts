import * as z from 'zod';
import { splitTranscript } from '../common/transcript.ts';
import { WhetstoneError } from '../common/errors.ts';
import { theSandbox, type Data } from '../sandbox/index.ts';
import { solveSymmetric } from '../regression/index.ts';
import { partsOf } from './combine.ts';
import { innerReward, memoryOf, openInner } from './inner.ts';
import { defineReward, type AnswerRow } from './reward.ts';

const MOST_FEATURES = 16;
const example = '(step) => [1, step.text.length, step.index]';
const Saved = z.object({
  gram: z.array(z.number()),
  moment: z.array(z.number()),
  inner: z.array(z.unknown()),
});

interface Step {
  readonly text: string;
  /** The world's reply behind a turn; null behind a line and the last turn. */
  readonly reply: string | null;
}

const stepsOf = ({ completion }: AnswerRow, step: 'line' | 'turn'): readonly Step[] => {
  if (step === 'line') return completion.split('\n').map((text) => ({ text, reply: null }));
  const { turns, replies } = splitTranscript(completion);
  return turns.map((text, at) => ({ text, reply: replies[at] ?? null }));
};

/** The features of steps by the user's code: arrays of one length, of finite numbers. */
const featuresOf = async (code: string, steps: readonly Data[], rehearsal: boolean): Promise<number[][]> => {
  const found = await theSandbox().runJs(steps.map((step) => ({ code, args: [step] })));
  const shape = z.array(z.number()).min(1).max(MOST_FEATURES);
  const rows = found.map((outcome) => shape.safeParse(outcome.ok ? outcome.value : null).data ?? null);
  const width = rows.find((row) => row !== null)?.length ?? 1;
  const at = rows.findIndex((row) => row?.length !== width);
  if (at < 0) return rows as number[][];
  // errors on the synthetic answers of a rehearsal are ignored
  if (rehearsal) return rows.map((row) => (row?.length === width ? row : new Array<number>(width).fill(0)));
  const failed = found[at];
  throw new WhetstoneError(
    'invalid-input',
    `The features' code gave no list of ${width} finite numbers for the step ${JSON.stringify(steps[at])}: ` +
      (failed.ok ? JSON.stringify(failed.value ?? null) : failed.error.message),
    {
      where: 'rewards: lare.code',
      hint: `Return the same number of features, at most ${MOST_FEATURES}, for every step.`,
    },
  );
};

/**
 * Splits another reward among the steps of an answer (LaRe, arXiv:2412.11120): code gives features φ of each
 * step, the latent reward, and a decoder w learns from all batches so far that Σ_t w·φ_t is the reward, by
 * ridge regression on the sums of an answer's features. A step's part is w·φ plus an equal share of what the
 * sum lacks, so that the parts add up to the reward exactly. The paper's decoder is a small network; this one
 * is linear. Each batch is split by what was learned before it.
 */
export const lare = defineReward({
  id: 'lare',
  title: 'Reward by features of steps',
  summary:
    'Another reward, split among lines or turns: your code gives features of a step, and a sum of them that ' +
    'equals the whole reward is learned. Credit goes to the steps.',
  params: z.strictObject({
    reward: innerReward.default({ id: 'verifier', params: {} }).describe('The reward that is split.'),
    step: z.enum(['line', 'turn']).default('turn').describe('What a step is.'),
    code: z
      .string()
      .min(1)
      .max(20_000)
      .default(example)
      .meta({ format: 'javascript' })
      .describe(
        'A function of a step { prompt, text, reply, index, count } that returns its features, a list of numbers.',
      ),
    ridge: z.number().positive().max(1000).default(1).describe('Penalty on the weights of features.'),
    decay: z
      .number()
      .min(0)
      .max(1)
      .default(0.95)
      .describe('Share of what earlier batches count that is left after a batch.'),
  }),
  inner: ({ reward: { id, params } }) => [{ path: 'reward', id, params }],
  scorer: async ({ reward, step, code, ridge, decay }, context) => {
    const whole = await openInner(context, reward, 'lare');
    const memory = memoryOf([whole]);
    let [gram, moment] = [new Float64Array(), new Float64Array()];
    const weights = (width: number): Float64Array => {
      if (moment.length !== width) return new Float64Array(width);
      const penalized = gram.map((x, at) => x + (at % (width + 1) === 0 ? ridge : 0));
      return solveSymmetric(penalized, moment.slice());
    };
    const learn = (sums: readonly Float64Array[], values: Float64Array, width: number): void => {
      const starts = moment.length !== width;
      gram = starts ? new Float64Array(width * width) : gram.map((x) => decay * x);
      moment = starts ? new Float64Array(width) : moment.map((x) => decay * x);
      sums.forEach((sum, r) =>
        sum.forEach((a, i) => {
          moment[i] += a * values[r];
          sum.forEach((b, j) => {
            gram[i * width + j] += a * b;
          });
        }),
      );
    };
    return {
      score: async (rows) => {
        const value = await whole.score(rows);
        const steps = rows.map((row) => stepsOf(row, step));
        const asked = steps.flatMap((own, r) =>
          own.map((one, index): Data => ({ ...one, prompt: rows[r].prompt, index, count: own.length })),
        );
        const features = await featuresOf(code, asked, context.rehearsal === true);
        const width = features[0]?.length ?? 1;
        const w = weights(width);
        let at = 0;
        const sums: Float64Array[] = [];
        const parts = steps.map((own, r) => {
          const mine = features.slice(at, (at += own.length));
          sums.push(Float64Array.from({ length: width }, (_, i) => mine.reduce((sum, f) => sum + f[i], 0)));
          const raw = mine.map((f) => f.reduce((sum, x, i) => sum + x * w[i], 0));
          const rest = (value[r] - raw.reduce((a, b) => a + b, 0)) / own.length;
          return raw.map((part) => part + rest);
        });
        if (rows.length > 0) learn(sums, value, width);
        return { value, [step === 'line' ? 'lines' : 'turns']: partsOf(parts) };
      },
      state: () => ({ gram: [...gram], moment: [...moment], inner: memory.state() }),
      restore: (saved) => {
        const read = Saved.parse(saved);
        gram = Float64Array.from(read.gram);
        moment = Float64Array.from(read.moment);
        memory.restore(read.inner);
      },
    };
  },
});
