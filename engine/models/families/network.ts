/**
 * Dense layers on observations, in stacks of the same widths: `actor` ends in the outputs about actions,
 * `critic` in the value of the state, or in one of earned rewards and one of bonuses, and where actions are
 * numbers `first` and `second` in the value of state and action. `predictor` guesses the hidden states of an
 * earlier critic. Initialized as in "The 37 Implementation Details of PPO" (Huang et al., 2022): orthogonal
 * with gain √2, the last layer 0.01 for logits of choices and 1 for values; biases 0.
 */
import { add, concat, full, mul, relu, reshape, slice, tanh, type Expr } from '../../tensor/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { dense } from '../blocks/dense.ts';
import { actsByNumbers, type Latent, type NetworkOutputs } from '../../schema/model.ts';
import type { NetworkConfig } from '../config.ts';
import type { ParameterSpec } from '../parameters.ts';
import type { Lookup } from '../symbols.ts';
import type { Transformer } from './family.ts';

const stacksOf = {
  choices: ['actor', 'critic'],
  values: ['actor'],
  numbers: ['actor', 'first', 'second'],
  'valued-numbers': ['actor', 'first', 'second', 'critic'],
  latent: ['actor', 'critic'],
  novelty: ['actor', 'critic', 'predictor'],
  noisy: ['actor', 'critic'],
} as const satisfies Record<NetworkOutputs, readonly string[]>;
type Stack = (typeof stacksOf)[NetworkOutputs][number];

/** Log of the weight of entropy, which a network with numbers as actions learns. */
export const LOG_TEMPERATURE = 'temperature.log';

/**
 * Where it starts: at 1, as in CleanRL. Beside a value of states at e⁻³, since with 1 the entropy of living
 * on is worth more than the only reward of a sparse world, which ends the episode.
 */
const logTemperatureAtFirst = (outputs: NetworkOutputs): number => (outputs === 'valued-numbers' ? -3 : 0);

/** Numbers of an action: a mean and a log deviation are output for each. */
export const actionNumbers = ({ outputs, vocabulary }: NetworkConfig): number =>
  actsByNumbers(outputs) ? vocabulary / 2 : 0;

/** Numbers of a direction (Mahankali et al., arXiv:2407.13755, Atari). */
const DIRECTION = 16;
/** Deviation of noisy weights at first, over √(inputs) (arXiv:1706.10295, section 3.2). */
const NOISE = 0.5;

/** Numbers that the actor's last hidden layer reads. */
const beforeLast = ({ observed, hidden }: NetworkConfig): number => hidden[hidden.length - 2] ?? observed;

/** The latent that is drawn for an episode and read after its observations; undefined: none. */
export const latentOf = (config: NetworkConfig): Latent | undefined => {
  if (config.outputs === 'latent') return { kind: 'sphere', size: DIRECTION };
  if (config.outputs === 'noisy') return { kind: 'noise', size: beforeLast(config) + config.width };
  return undefined;
};

/** Numbers that it reads to act: what is observed, and a latent. */
export const readWidth = (config: NetworkConfig): number => config.observed + (latentOf(config)?.size ?? 0);

/**
 * Numbers behind each token of its rows: what it reads, and where actions are numbers the action that led
 * there, each of its numbers from −1 to 1, and the noise that an action is drawn with.
 */
export const rowWidth = (config: NetworkConfig): number => readWidth(config) + 2 * actionNumbers(config);

/** True if its critic has a second output, the value of bonuses. */
const valuesBonuses = ({ outputs }: NetworkConfig): boolean => outputs === 'latent' || outputs === 'novelty';

/** Numbers that a stack reads and ends in. */
const endsOf = (config: NetworkConfig, stack: Stack): readonly [number, number] => {
  const { observed, outputs, width, vocabulary } = config;
  const reads = outputs === 'latent' ? readWidth(config) : observed;
  if (stack === 'actor') return [reads, vocabulary];
  if (stack === 'critic') return [reads, valuesBonuses(config) ? 2 : 1];
  if (stack === 'predictor') return [observed, width];
  return [observed + actionNumbers(config), 1];
};

const temperatureOf = ({ outputs }: NetworkConfig): ParameterSpec => ({
  name: LOG_TEMPERATURE,
  shape: [1],
  init: { kind: 'fill', value: logTemperatureAtFirst(outputs) },
});

const stackOf = (config: NetworkConfig, stack: Stack): ParameterSpec[] => {
  const { hidden, outputs } = config;
  const [reads, ends] = endsOf(config, stack);
  const widths = [reads, ...hidden, ends];
  return widths.slice(1).flatMap((to, layer): ParameterSpec[] => {
    const isLast = layer === hidden.length;
    const gain = !isLast ? Math.SQRT2 : stack === 'actor' && outputs !== 'values' ? 0.01 : 1;
    return [
      { name: `${stack}.${layer}.weight`, shape: [widths[layer], to], init: { kind: 'orthogonal', gain } },
      { name: `${stack}.${layer}.bias`, shape: [to], init: { kind: 'fill', value: 0 } },
    ];
  });
};

/** The hidden layers of a stack: observations [N, F] → [N, D]. */
const hiddenOf = (
  { hidden, activation }: NetworkConfig,
  parameters: Lookup,
  observed_NF: Expr,
  stack: Stack,
): Expr => {
  const act = activation === 'tanh' ? tanh : relu;
  return hidden.reduce(
    (x, _, layer) => act(dense(parameters, `${stack}.${layer}`, x, 'in-out')),
    observed_NF,
  );
};

/** Observations without the latent after them: [N, W] → [N, F]. */
const seenOf = ({ observed }: NetworkConfig, reads_NW: Expr): Expr =>
  reads_NW.type.shape[1] === observed ? reads_NW : slice(reads_NW, 1, 0, observed);

/** Numbers `from` to `to` of a latent behind observations [N, W]. */
const latentPart = ({ observed }: NetworkConfig, reads_NW: Expr, from: number, to: number): Expr =>
  slice(reads_NW, 1, observed + from, observed + to);

/**
 * The actor's hidden layers, where weights and biases of the last one have noise: x (μ + σ ∘ ε) with
 * factorized ε = f(ε_in) f(ε_out)ᵀ, which is x μ + ((x ∘ f(ε_in)) σ) ∘ f(ε_out) (arXiv:1706.10295, eqs. 9 and
 * 10).
 */
const noisyStates = (config: NetworkConfig, parameters: Lookup, reads_NW: Expr): Expr => {
  const { hidden, activation, layers } = config;
  const act = activation === 'tanh' ? tanh : relu;
  const last = `actor.${layers - 1}`;
  const earlier = { ...config, hidden: hidden.slice(0, -1) };
  const x = hiddenOf(earlier, parameters, seenOf(config, reads_NW), 'actor');
  const inputs = beforeLast(config);
  const scaled = mul(x, latentPart(config, reads_NW, 0, inputs));
  const outward = latentPart(config, reads_NW, inputs, inputs + config.width);
  const noise = mul(dense(parameters, `${last}.noise`, scaled, 'in-out'), outward);
  return act(add(dense(parameters, last, x, 'in-out'), noise));
};

/** Deviations of the noisy layer. */
const noiseOf = (config: NetworkConfig): ParameterSpec[] => {
  const inputs = beforeLast(config);
  const init = { kind: 'fill', value: NOISE / Math.sqrt(inputs) } as const;
  const name = `actor.${config.layers - 1}.noise`;
  return [
    { name: `${name}.weight`, shape: [inputs, config.width], init },
    { name: `${name}.bias`, shape: [config.width], init },
  ];
};

/** The last hidden layer, from which the outputs about actions are read: [N, W] → [N, D]. */
export const networkStates = (config: NetworkConfig, parameters: Lookup, reads_NW: Expr): Expr =>
  config.outputs === 'noisy'
    ? noisyStates(config, parameters, reads_NW)
    : hiddenOf(config, parameters, reads_NW, 'actor');

/** The whole of a stack: [N, W] → [N, K]. */
const stackOutputs = (config: NetworkConfig, parameters: Lookup, reads_NW: Expr, stack: Stack): Expr =>
  dense(parameters, `${stack}.${config.layers}`, hiddenOf(config, parameters, reads_NW, stack), 'in-out');

/** The whole of a stack that ends in one number: [N, F] → [N]. */
export const stackValues = (
  config: NetworkConfig,
  parameters: Lookup,
  reads_NF: Expr,
  stack: Exclude<Stack, 'actor'>,
): Expr => reshape(stackOutputs(config, parameters, reads_NF, stack), [reads_NF.type.shape[0]]);

/** Inputs of the critic: the direction too, but not the noise of the actor's weights. */
const byCritic = (config: NetworkConfig, reads_NW: Expr): Expr =>
  config.outputs === 'latent' ? reads_NW : seenOf(config, reads_NW);

/** True if it has a value of the state alone. */
export const hasCritic = ({ outputs }: NetworkConfig): boolean =>
  stacksOf[outputs].some((stack) => stack === 'critic');

/** Values of the states that [N, W] show → [N]. Throws `unsupported` without a critic. */
export const networkValues = (config: NetworkConfig, parameters: Lookup, reads_NW: Expr): Expr => {
  if (!hasCritic(config))
    throw new WhetstoneError('unsupported', 'A network without a critic has no value of a state.', {
      where: 'models.policy',
      hint: 'Choose a network with a critic.',
    });
  return criticOutput(config, parameters, reads_NW, 0);
};

const criticOutput = (config: NetworkConfig, parameters: Lookup, reads_NW: Expr, output: number): Expr => {
  const all = stackOutputs(config, parameters, byCritic(config, reads_NW), 'critic');
  return reshape(valuesBonuses(config) ? slice(all, 1, output, output + 1) : all, [reads_NW.type.shape[0]]);
};

/**
 * Further outputs of a network that values bonuses: [N, W] → values [N], features and predictions of them
 * [N, D].
 */
export interface BonusOutputs {
  readonly bonus: Expr;
  /** The critic's last hidden layer of what was observed, where the direction is 0. */
  readonly features: Expr;
  /** Only of a network with a predictor. */
  readonly predicted?: Expr;
}

/** Undefined for a network without values of bonuses. */
export const bonusOutputs = (
  config: NetworkConfig,
  parameters: Lookup,
  reads_NW: Expr,
): BonusOutputs | undefined => {
  if (!valuesBonuses(config)) return undefined;
  const seen = seenOf(config, reads_NW);
  const plain =
    config.outputs === 'latent' ? concat([seen, full(0, [reads_NW.type.shape[0], DIRECTION])], 1) : seen;
  return {
    bonus: criticOutput(config, parameters, reads_NW, 1),
    features: hiddenOf(config, parameters, plain, 'critic'),
    ...(config.outputs === 'novelty' && { predicted: stackOutputs(config, parameters, seen, 'predictor') }),
  };
};

const readsNoText = (): never => {
  throw new WhetstoneError('unsupported', 'A network on observations reads and writes no text.', {
    where: 'model',
    hint: 'Choose a language model.',
  });
};

export const network = (config: NetworkConfig): Transformer => ({
  heads: 1,
  kvHeads: 1,
  size: config.width,
  files: { prefix: '', ignored: /^$/, copy: null },
  layout: 'in-out',
  parameters: () => [
    ...stacksOf[config.outputs].flatMap((stack) => stackOf(config, stack)),
    ...(actsByNumbers(config.outputs) ? [temperatureOf(config)] : []),
    ...(config.outputs === 'noisy' ? noiseOf(config) : []),
  ],
  attention: readsNoText,
  embed: readsNoText,
  blocks: readsNoText,
  logits: (parameters, hidden) => dense(parameters, `actor.${config.layers}`, hidden, 'in-out'),
  outputTable: () => null,
});
