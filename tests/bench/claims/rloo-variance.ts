import { promptIdOf } from '../../../engine/random/hash.ts';
import { shuffle, stream } from '../../../engine/random/random.ts';
import type { TaskData } from '../../../engine/rl/tasks/task-data.ts';
import type { Claim, Side } from './claim.ts';
import { pairedRuns, curve, imitation, mean, type Run, type Workbench } from './world.ts';

const PROMPTS = 8;
const EACH = 4;
const BATCHES = 60;
const sampling = { maxTokens: 4 };
const letters = [...'abcd'];
const strings = letters.flatMap((a) => letters.map((b) => a + b));
const task = { kind: 'world', id: 'toy/copy', params: { letters: letters.length, length: 2 } } as const;

/** Strings to copy, the hardest first. */
const problemsOf = (seed: number) =>
  shuffle(strings, seed, 'prompts')
    .slice(0, PROMPTS)
    .map((reference, at) => ({
      promptId: promptIdOf(`${reference}>`),
      prompt: `${reference}>`,
      reference,
      at,
    }));

/**
 * Demonstrations of copying, 16 per prompt: one is right for the first, three for the second, 15 for the
 * last.
 */
const start = async ({ run, dataset }: Workbench, seed: number) => {
  await dataset(
    'copies',
    problemsOf(seed).flatMap(({ at, ...problem }) => {
      const draw = stream(seed, 'wrong answers', at);
      const others = strings.filter((text) => text !== problem.reference);
      return Array.from({ length: 16 }, (_, i) => ({
        ...problem,
        correct: i <= 2 * at,
        answer: i <= 2 * at ? problem.reference : draw.pick(others),
      }));
    }),
  );
  await run(
    {
      ...imitation(100),
      task: { kind: 'dataset', datasetId: 'copies', heldout: 0, onlyCorrect: false },
      sampling,
      seed,
    },
    { as: 'base' },
  );
};

/**
 * The same prompts repeatedly. An answer is right or wrong; all answers to every other prompt earn `lower`
 * less.
 */
const fixed =
  (seed: number, lower: number) =>
  ({ world, ...data }: TaskData): TaskData => {
    const problems = problemsOf(seed);
    const at = new Map(problems.map((problem) => [problem.prompt, problem]));
    return {
      ...data,
      problems: { size: Infinity, at: (draw) => problems[draw % PROMPTS] },
      ...(world && {
        world: {
          ...world,
          verify: (problem, completion) => {
            const known = at.get(typeof problem === 'string' ? problem : problem.prompt);
            const correct = known?.reference === completion;
            return {
              correct,
              reward: Number(correct) - (known && known.at % 2 ? lower : 0),
              reason: 'copied or not',
            };
          },
        },
      }),
    };
  };

/**
 * E|g|² − |E g|² at one policy (learning rate 0). Batches of both sides hold the same prompts equally often,
 * so that both are unbiased estimates of one gradient. |E g|² comes from the gradient of `BATCHES` batches
 * together, whose own variance is 1 ⁄ BATCHES of theirs.
 */
const variance = async (
  run: Run,
  side: Side,
  seed: number,
  prepare: ReturnType<typeof fixed>,
): Promise<number> => {
  const method =
    side === 'method'
      ? { id: 'rloo', params: { groupSize: EACH, klWeight: 0 } }
      : { id: 'reinforce', params: { klWeight: 0 } };
  const squares = async (steps: number, batches: number, seed: number): Promise<number> =>
    mean(
      curve(
        await run(
          {
            method,
            task,
            optimizer: { learningRate: 0 },
            budget: { steps, batch: batches * PROMPTS * (side === 'method' ? 1 : EACH) },
            sampling,
            seed,
          },
          { from: 'base', prepare },
        ),
        'grad_norm',
      ).map((norm) => norm ** 2),
    );
  return ((await squares(BATCHES, 1, seed)) - (await squares(1, BATCHES, seed + 1000))) / (1 - 1 / BATCHES);
};

const shared = {
  cites: 'arXiv:2402.14740',
  method: 'rloo',
  baseline: 'reinforce, mean of all others of the batch as baseline',
  measure:
    'variance of the gradient of a batch of 8 prompts × 4 answers (60 batches, the same policy and prompts)',
  better: 'lower',
} as const;

/**
 * A verifier alone: the mean reward differs between prompts like their success rate, here from 1⁄16 to
 * 15⁄16.
 */
export const rlooVariance: Claim = {
  id: 'rloo-variance',
  title:
    'Leave-one-out on the same prompt varies less than a baseline from all answers (copying two letters, ' +
    'right or wrong, prompts from hard to easy)',
  ...shared,
  of: pairedRuns(start, (run, side, seed, from) => variance(run, side, seed, fixed(from, 0))),
};

/**
 * Reward models are trained by comparing answers to one prompt, so that each prompt may have an offset of
 * its own. Here it is −1 for every other prompt: offsets deviate by ½, as much as a verdict can within a
 * prompt.
 */
export const rlooVarianceLevels: Claim = {
  id: 'rloo-variance-levels',
  title: 'The same, where all answers to every other prompt earn 1 less, as levels of reward models differ',
  ...shared,
  of: pairedRuns(start, (run, side, seed, from) => variance(run, side, seed, fixed(from, 1))),
};
