/** Opens the steering of a run: the direction between two kinds of its own answers, or of given texts. */
import { WhetstoneError } from '../../common/errors.ts';
import { hash32 } from '../../random/random.ts';
import type { Stack } from '../../rewards/stack.ts';
import { checkSteering, type Steering } from '../../models/generate/steering.ts';
import type { Model } from '../../models/model.ts';
import type { Device } from '../../runtime/index.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { SteeringSpec } from '../../schema/sampling.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { writeAnswers } from '../compute/answers.ts';
import { contrastDirection, steeringByTexts, steeringOf, type Contrast } from '../compute/steering.ts';
import { totalOf } from '../evaluation/model-scorers.ts';
import type { Problem } from '../kernel/columns.ts';
import { ragged, rowOf } from '../kernel/rows.ts';
import type { TaskData } from '../tasks/task-data.ts';

const where = 'sampling.steering';

/** What a steering is made with. */
export interface SteeringSources {
  readonly device: Device;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  readonly data: Pick<TaskData, 'problems' | 'world' | 'name'>;
  readonly stack: Stack;
  /** True if the run is only rehearsed, with made-up answers: the direction is 0. */
  readonly isRehearsal: boolean;
}

/** An answer with its problem, its score and its number of tokens. */
export interface ValuedAnswer {
  readonly problem: number;
  readonly score: number;
  readonly length: number;
}

/**
 * Places of the answers on both sides. short: the shortest and the longest right answer (score 1 or more) of
 * each problem that has two of different lengths; high: of each problem, the answers above and below its mean.
 */
export const sidesOf = (
  answers: readonly ValuedAnswer[],
  contrast: 'short' | 'high',
): { readonly toward: readonly number[]; readonly away: readonly number[] } => {
  const groups = [...Map.groupBy(answers.keys(), (at) => answers[at].problem).values()];
  const sides = groups.map((places) => {
    if (contrast === 'high') {
      const mean = places.reduce((sum, at) => sum + answers[at].score, 0) / places.length;
      return {
        toward: places.filter((at) => answers[at].score > mean + 1e-9),
        away: places.filter((at) => answers[at].score < mean - 1e-9),
      };
    }
    const right = places
      .filter((at) => answers[at].score >= 1)
      .sort((a, b) => answers[a].length - answers[b].length || a - b);
    const [first, last] = [right[0], right[right.length - 1]];
    const differ = right.length > 1 && answers[first].length < answers[last].length;
    return differ ? { toward: [first], away: [last] } : { toward: [], away: [] };
  });
  return { toward: sides.flatMap((side) => side.toward), away: sides.flatMap((side) => side.away) };
};

/** Answers of the policy's start to training problems, on both sides. */
const ownContrast = async (
  { contrast, scorer, problems: asked, samples }: Extract<SteeringSpec, { readonly kind: 'answers' }>,
  { sampling, seed }: Pick<RunSpec, 'sampling' | 'seed'>,
  { device, model, tokenizer, data, stack }: SteeringSources,
): Promise<Contrast> => {
  if (!data.problems)
    throw new WhetstoneError('invalid-input', `${data.name} has no problems to answer.`, {
      where: `${where}.kind`,
      hint: 'Steer by texts, or choose a task whose answers are scored.',
    });
  const count = Math.min(asked, data.problems.size);
  const problem: Problem[] = Array.from({ length: count }, (_, draw) => data.problems!.at(draw));
  const rows = problem.flatMap((each, p) => Array.from({ length: samples }, () => ({ each, p })));
  const prompts = ragged(rows, Int32Array, ({ each }) => encodePrompt(tokenizer, each.prompt));
  const problem_R = rows.map(({ each }) => each);
  const answers = await writeAnswers(
    prompts,
    problem_R,
    Float64Array.from(rows, (_, r) => r % samples),
    {
      device,
      model,
      tokenizer,
      temperature: sampling.temperature,
      maxTokens: sampling.maxTokens,
      seed,
      purpose: 'answers that steer',
      step: 0,
      ...(data.world?.turns && { turns: data.world.turns }),
    },
  );
  const groupId = Float64Array.from(rows, ({ each }) => hash32(each.promptId));
  // answers that steer are no batch of the run: scorers that learn from batches forget them
  const learned = stack.state();
  const { raw } = await totalOf(stack).score({ ...answers, problem: problem_R, groupId });
  stack.restore(learned);
  const scores = raw[scorer];
  if (!scores)
    throw new WhetstoneError('invalid-input', `The run has no reward '${scorer}' to value answers by.`, {
      where: `${where}.scorer`,
      hint:
        stack.scorers.length === 0 ? 'Add it to the rewards.' : `Choose one of ${stack.scorers.join(', ')}.`,
    });
  const texts = rows.map((_, r) => ({
    tokens: rowOf(answers.tokens, r),
    from: prompts.offsets[r + 1] - prompts.offsets[r],
  }));
  const valued = rows.map(({ p }, r) => ({ problem: p, score: scores[r], length: texts[r].tokens.length }));
  const { toward, away } = sidesOf(valued, contrast);
  if (toward.length === 0 || away.length === 0) throw withoutSides(contrast);
  if (contrast === 'high')
    return { toward: toward.map((at) => texts[at]), away: away.map((at) => texts[at]) };
  // only the places that both answers of a pair have: a state also tells its place, and long ones have later places
  const common = (at: number, pair: number) => ({
    tokens: texts[at].tokens.subarray(0, texts[toward[pair]].tokens.length),
    from: texts[at].from,
  });
  return { toward: toward.map(common), away: away.map(common) };
};

const withoutSides = (contrast: 'short' | 'high'): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    contrast === 'short'
      ? 'No problem has two right answers of different lengths.'
      : 'No problem has answers with different scores.',
    { where, hint: 'Answer more problems, with more samples each, or start from a better model.' },
  );

/** The steering of a run. Throws `invalid-input` with the path of a field that no direction can be made with. */
export const openSteering = async (
  steering: Exclude<SteeringSpec, { readonly kind: 'none' }>,
  spec: Pick<RunSpec, 'sampling' | 'seed'>,
  sources: SteeringSources,
): Promise<Steering> => {
  const { device, model, tokenizer, isRehearsal } = sources;
  const unknown = new Float32Array(model.config.width);
  checkSteering({ layer: steering.layer, direction: unknown }, model.config);
  if (steering.kind === 'texts')
    return steeringByTexts(steering, { device, model, tokenizer, where: 'sampling.' });
  const contrast = isRehearsal
    ? { toward: [{ tokens: [1, 1], from: 1 }], away: [{ tokens: [1, 1], from: 1 }] }
    : await ownContrast(steering, spec, sources);
  const direction = await contrastDirection(device, model, contrast, steering.layer);
  return steeringOf(steering, direction, tokenizer);
};
