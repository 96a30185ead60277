/**
 * Runs recipes through the kernel on a policy that consists only of its logits, with every outcome
 * enumerated: the results can be compared with closed forms.
 */
import { stream } from '../../random/random.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { OptimizerSpec } from '../../schema/run-spec.ts';
import { liveStages, requiredColumns } from '../kernel/check.ts';
import type { ModelPort, Need, Problem } from '../kernel/columns.ts';
import { Control } from '../kernel/control.ts';
import { Updater } from '../compute/updater.ts';
import { LiveModel, RowPrograms } from '../compute/live-model.ts';
import type { Tasks } from '../tasks/kinds/index.ts';
import type { Recipe } from '../kernel/recipe.ts';
import { ragged } from '../kernel/rows.ts';
import { runStages } from '../run/run-stages.ts';
import type { RewardStack } from '../kernel/reward-stack.ts';
import { stage, type StageContext } from '../kernel/stage.ts';
import { everyOutcome, onAnswer, softmax, tabularGraph, tabularParameters } from './tabular.ts';

/**
 * A bandit with one prompt: a reward per arm, and the policy's initial logits (equal by default), which are
 * its reference.
 */
export interface BanditRun {
  readonly rewards: readonly number[];
  readonly logits?: readonly number[];
  /** One role, `policy`, that trains on enumerated outcomes or on pairs of arms. */
  readonly recipe: (tasks: Pick<Tasks, 'verifiable' | 'preferences'>) => Recipe;
  /** Step size of plain gradient descent, and the number of steps. */
  readonly rate: number;
  readonly steps: number;
  /**
   * Pairs of arms, the first one preferred with this probability. By default, all of them, with σ(r_a −
   * r_b).
   */
  readonly pairs?: readonly (readonly [a: number, b: number, agreement: number])[];
}

/** The policy, the loss and the gradient's norm after each step; `policies[0]` is the initial policy. */
export interface BanditPath {
  readonly policies: readonly Float64Array[];
  readonly losses: readonly number[];
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const PROBLEM: Problem = { promptId: 'bandit', prompt: '?', reference: null };

/** Enumerates every arm once, weighted by its probability, instead of sampling. */
const enumerating =
  (policy: () => Float64Array): StageContext['sample'] =>
  async (_, problem_R, sample_R) => {
    const p = policy();
    const V = p.length;
    const outcome_R = Array.from(sample_R, (s) => s % V);
    if (problem_R.length !== V)
      throw new WhetstoneError(
        'invalid-input',
        `A bandit of ${V} arms is listed by ${V} answers, and ${problem_R.length} are asked for.`,
        { where: 'groupSize' },
      );
    return {
      ...everyOutcome(V),
      behaviorLogp: onAnswer(outcome_R.map((v) => Math.log(p[v]))),
      completion: outcome_R.map(String),
      ended: new Float64Array(V).fill(1),
      weight: Float64Array.from(outcome_R, (v) => V * p[v]),
    };
  };

/** Dummy prompts of a single token. */
const silent = (count: number) =>
  ragged(
    Array.from({ length: count }, () => [0]),
    Int32Array,
  );

/** The only prompt, as a source. */
const prompts = stage({
  id: 'prompts',
  needs: [],
  adds: ['promptId', 'problem', 'prompt'],
  run: async () => ({ columns: { promptId: Float64Array.of(1), problem: [PROBLEM], prompt: silent(1) } }),
});
const guided = stage({
  id: 'guided',
  needs: [],
  adds: ['promptId', 'problem', 'prompt', 'worked'],
  run: async () => ({
    columns: { promptId: Float64Array.of(1), problem: [PROBLEM], prompt: silent(1), worked: silent(1) },
  }),
});

type Pairs = NonNullable<BanditRun['pairs']>;

/** The pairs of arms: those given, or all of them, preferred with σ(r_a − r_b). */
const pairsOf = ({ rewards, pairs }: BanditRun): Pairs => {
  const arms = [...rewards.keys()];
  return (
    pairs ??
    arms.flatMap((a) =>
      arms.filter((b) => b > a).map((b) => [a, b, sigmoid(rewards[a] - rewards[b])] as const),
    )
  );
};

/** All pairs of arms as a source, one batch. */
const pairSource = (pairs: Pairs) => {
  const rows = pairs.flatMap(([a, b]) => [a, b]);
  const ones = new Float64Array(rows.length).fill(1);
  const each = (of: (pair: number, side: number) => number) =>
    Float64Array.from(rows, (_, r) => of(r >> 1, r & 1));
  return stage({
    id: 'pairs',
    needs: [],
    adds: ['promptId', 'problem', 'prompt', 'pairId', 'chosen', 'agreement', 'weight', 'tokens', 'mask'],
    run: async () => ({
      columns: {
        promptId: ones,
        problem: rows.map(() => PROBLEM),
        prompt: silent(rows.length),
        pairId: each((pair) => pair),
        chosen: each((_, side) => 1 - side),
        agreement: each((pair) => pairs[pair][2]),
        weight: ones,
        tokens: ragged(rows, Int32Array, (v) => [0, v]),
        mask: ragged(rows, Uint8Array, () => [0, 1]),
      },
    }),
  });
};

const tasksOf = (run: BanditRun): Pick<Tasks, 'verifiable' | 'preferences'> => {
  const met = pairsOf(run);
  const pairs = pairSource(met);
  const rewardsOf = (completion: readonly string[]) =>
    Float64Array.from(completion, (arm) => run.rewards[Number(arm)]);
  const reward: RewardStack<'total'> = {
    id: 'total',
    scorers: ['total'],
    empty: false,
    score: async ({ completion }) => ({ value: rewardsOf(completion), raw: {} }),
  };
  return {
    verifiable: { prompts, guided, reward },
    preferences: { pairs, allPairs: pairs, triples: pairs, count: met.length, reward },
  };
};

/** A tokenizer of the arms' numbers: an answer is one token. */
const textOf = (arms: number): StageContext['text'] => ({
  prompt: () => Int32Array.of(0),
  encode: (text) => Int32Array.of(Number(text)),
  decode: (ids) => String(ids[0]),
  end: arms,
  context: 64,
  maxTokens: 1,
});

/**
 * Runs gradient descent with a recipe's own stages and objective. Reads the policy after each step in
 * float64.
 */
export const descend = async (device: Device, run: BanditRun): Promise<BanditPath> => {
  const { rewards, logits = rewards.map(() => 0), rate, steps } = run;
  const V = rewards.length;
  const recipe = run.recipe(tasksOf(run));
  const { objective, stages, epochs = 1 } = recipe.roles.policy;
  if (!objective)
    throw new WhetstoneError('invalid-input', 'This recipe’s policy does not train.', { where: 'recipe' });
  const graph = tabularGraph(V);
  const programs = new RowPrograms(device, graph);
  const parameters = tabularParameters(logits);
  const models: { readonly [name: string]: LiveModel } = {
    policy: new LiveModel(programs, parameters),
    initial: new LiveModel(programs, tabularParameters(logits)),
  };
  const optimizer = OptimizerSpec.parse({ kind: 'sgd', beta1: 0, learningRate: rate, clipNorm: 1e6 });
  const learner = new Updater({
    device,
    graph,
    parameters,
    objective,
    optimizer,
    limits: { maxTokens: 1 },
    temperature: 1,
    steps,
  });
  learner.readOthers((name) => models[name]);
  const policy = () => softmax(parameters.flat);
  const sample = enumerating(policy);
  const control = new Control();
  const text = textOf(V);
  const port = (need: Need): ModelPort => {
    const model = models[need.split('/')[1]];
    return model.port(1, { sample: enumerating(() => softmax(model.parameters.flat)), text });
  };
  const memory = new Map<string, unknown>();
  const running = liveStages(stages, requiredColumns(recipe, 'policy'));
  const [policies, losses]: [Float64Array[], number[]] = [[policy()], []];
  for (let step = 0; step < steps; step++) {
    const context: StageContext = {
      draw: step,
      batch: 1,
      progress: step / steps,
      control,
      memory: { get: (stage) => memory.get(stage), set: (stage, state) => void memory.set(stage, state) },
      answerId: (promptId, number) => `${step} ${promptId} ${number}`,
      sample,
      act: () => Promise.reject(new Error('a bandit has no observations')),
      reasons: async (rows) => rows.map(() => ''),
      random: (purpose) => stream(0, purpose, step),
      text,
    };
    const { table } = await runStages(running, port, context);
    for (let epoch = 0; epoch < epochs; epoch++) losses.push((await learner.update(table, step)).loss);
    policies.push(policy());
  }
  return { policies, losses };
};
