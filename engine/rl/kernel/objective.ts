import type { Expr } from '../../tensor/index.ts';
import { add, mul, scalar } from '../../tensor/index.ts';
import type { Column, ColumnValue, Columns, Inputs, PerRow, PerToken } from './columns.ts';
import type { NeedsOf } from './stage.ts';

/** Rows of one step each, in a world whose actions are numbers; A numbers of an action, each from −1 to 1. */
export interface StepView {
  /** [R, A]: the action that was taken. */
  readonly action: Expr;
  /**
   * The model's action before the step and after it, drawn with the row's noise: [R, A], and its log-density
   * [R].
   */
  drawn(): { readonly action: Expr; readonly logp: Expr };
  drawnAfter(): { readonly action: Expr; readonly logp: Expr };
  /** [R] each: both critics’ values of an action before the step. */
  values(action_RA: Expr): readonly [Expr, Expr];
  /** [R]: the smaller of them; gradient flows to the action alone. */
  least(action_RA: Expr): Expr;
  /**
   * [R]: the smaller value of an action after the step, by a model that the objective names; without
   * gradient.
   */
  leastAfter(model: string, action_RA: Expr): Expr;
  /** [R, A]: what was done, moved by the row's noise times `deviation`, by at most `most`. */
  near(how: { readonly deviation: number; readonly most: number }): Expr;
  /** [R]: the value of the state before the step; throws `unsupported` for a network without one. */
  value(): Expr;
  /** [1]: the weight of entropy that the model learns. */
  temperature(): Expr;
}

/** Outputs of a network about exploration bonuses. */
export interface BonusView {
  /** [R, T]: value of later bonuses, of the state before each token; 0 at the first token. */
  values(): Expr;
  /**
   * [R, T]: mean squared error of the prediction of features of what was observed after each token. The
   * features are those of a model that the objective names, without gradient.
   */
  surprise(model: string): Expr;
}

/** The trained model inside a graph, with gradient. R rows and T tokens are those of the micro-batch. */
export interface ModelGraphView {
  /**
   * [R, T]: log-probability of each token given those before it, at the role's temperature; 0 at the first
   * token, and possibly before the first one in the row's mask.
   */
  logp(tokens_RT: Expr): Expr;
  /** [R, T]: entropy in nats of the distribution of each token; 0 where log-probabilities are. */
  entropy(tokens_RT: Expr): Expr;
  /**
   * [R, T]: mean log-probability over the vocabulary at each token's position; 0 where log-probabilities
   * are.
   */
  meanLogp(tokens_RT: Expr): Expr;
  /**
   * [R, T]: a function of each token's distribution, from its logits [N, V] at the role's temperature to
   * [N]; 0 where log-probabilities are.
   */
  ofLogits(tokens_RT: Expr, reduce: (logits_NV: Expr) => Expr): Expr;
  /**
   * [R, T]: the same of two distributions: this model's, and that of a model which the objective names in
   * `models`, without gradient.
   */
  against(model: string, tokens_RT: Expr, reduce: (own_NV: Expr, other_NV: Expr) => Expr): Expr;
  /** Width D of the token embeddings. */
  readonly width: number;
  /**
   * [R, T]: log-probabilities where `shift` [R, T, D] is added to the embeddings; 0 at the first token and on
   * padding.
   */
  shiftedLogp(tokens_RT: Expr, shift_RTD: Expr): Expr;
  /** [R]: the reward head's score of each row; [R, K] for a head with K labels. */
  score(tokens_RT: Expr): Expr;
  /** [R, D]: the final hidden state of each row's last token. */
  features(tokens_RT: Expr): Expr;
  /** [R, T]: the head's value of the state before each token; 0 at the first token. */
  values(tokens_RT: Expr): Expr;
  /** [R, T]: the head's output after each token. */
  verdicts(tokens_RT: Expr): Expr;
  /** Rows of one step, of a network whose actions are numbers. */
  step(tokens_RT: Expr): StepView;
  /** Of a network that values bonuses. */
  bonus(tokens_RT: Expr): BonusView;
}

/**
 * Array columns as graph inputs: [R, T] for tokens, [R] for rows. Columns of objects are for the host only.
 */
export type Symbolic<N extends Column, X extends string> = {
  readonly [
    K in N as Columns[K] extends readonly unknown[] ? (Columns[K] extends PerRow ? K : never) : K
  ]: Expr;
} & { readonly [K in X]: Expr };

/** Facts of the run known on the host but not in a graph. */
export interface Limits {
  /** Maximum answer length, in tokens. */
  readonly maxTokens: number;
  /** Weights set by controllers for the terms of those names; 1 by default. */
  readonly weights?: { readonly [term: string]: number };
}

/**
 * A term of a loss over one micro-batch. It must be a sum with weights made on the host, so that the loss of
 * a batch equals the sum over its micro-batches.
 */
export interface LossParts {
  readonly loss: Expr;
  /** Scalars that add up over micro-batches, like the loss. */
  readonly metrics?: { readonly [name: string]: Expr };
}

/**
 * Arrays for the graph, made on the host from the whole batch before packing: weights that implement an
 * average, sums of constants.
 */
export type Prepared<X extends string = string> = {
  readonly [K in X]: PerRow | PerToken | PerToken<Float64Array>;
};

/** One weighted term of an objective, as the updater sees it. */
export interface Term {
  readonly id: string;
  readonly weight: number;
  /**
   * Number of consecutive rows that a micro-batch must not separate: 2 for pairs (chosen first), a group's
   * size.
   */
  readonly unit: number;
  /** Models whose whole distributions it reads (`ModelGraphView.against`): snapshots or roles. */
  readonly models?: readonly string[];
  readonly prepare: (columns: { readonly [name: string]: ColumnValue }, limits: Limits) => Prepared;
  readonly build: (inputs: { readonly [name: string]: Expr }, learner: ModelGraphView) => LossParts;
}

/** The model's interface for a closed-form fit: frozen features, and a linear head to write. */
export interface Fitter {
  /**
   * R × F, row by row: the final hidden state of each row's last token, which the reward head reads.
   * `mask_RT` is 1 on answers.
   */
  features(
    tokens_RT: PerToken<Int32Array>,
    mask_RT: PerToken<Uint8Array>,
  ): Promise<{ readonly values: Float64Array; readonly width: number }>;
  /**
   * True if the fit is only rehearsed to count its cost: its features are zeros, and there is nothing to
   * solve.
   */
  readonly rehearsal: boolean;
  /** Sets the model's score to `weight · features`. */
  setHead(weight_F: Float64Array): void;
}

/** A loss over a role's rows. It declares the columns that it reads, as a stage does. */
export interface Objective<Needs extends Column = Column> {
  readonly id: string;
  readonly station: 'objective';
  readonly needs: readonly Needs[];
  readonly terms: readonly Term[];
  /** Replaces gradient steps: solves for the head on the host, on one batch of rows, and returns metrics. */
  readonly fit?: (
    columns: { readonly [name: string]: ColumnValue },
    fitter: Fitter,
  ) => Promise<{ readonly [metric: string]: number }>;
}

/**
 * Defines an objective of one term; its type is inferred from `needs`. `prepare` runs on the host, `loss`
 * builds the graph.
 */
export const objective = <const N extends Column, const X extends string = never>(part: {
  readonly id: string;
  readonly needs: readonly N[];
  readonly unit?: number;
  readonly models?: readonly string[];
  readonly prepare: (columns: Inputs<N>, limits: Limits) => Prepared<X>;
  readonly loss: (inputs: Symbolic<N, X>, learner: ModelGraphView) => LossParts;
}): Objective<N> => ({
  id: part.id,
  station: 'objective',
  needs: part.needs,
  // the two casts are the only places where the checked types are erased
  terms: [
    {
      id: part.id,
      weight: 1,
      unit: part.unit ?? 1,
      ...(part.models && { models: part.models }),
      prepare: part.prepare as Term['prepare'],
      build: part.loss as Term['build'],
    },
  ],
});

/** The models whose whole distributions an objective reads. */
export const modelsRead = (of: Pick<Objective, 'terms'> | undefined): readonly string[] => [
  ...new Set(of?.terms.flatMap(({ models = [] }) => models) ?? []),
];

/** Defines an objective solved on the host in closed form. */
export const solved = <const N extends Column>(part: {
  readonly id: string;
  readonly needs: readonly N[];
  readonly fit: (columns: Inputs<N>, fitter: Fitter) => Promise<{ readonly [metric: string]: number }>;
}): Objective<N> => ({
  id: part.id,
  station: 'objective',
  needs: part.needs,
  terms: [],
  fit: part.fit as Objective['fit'],
});

export const sum = <O extends readonly Objective[]>(...parts: O): Objective<NeedsOf<O[number]>> => ({
  id: parts.map((t) => t.id).join(' + '),
  station: 'objective',
  needs: [...new Set(parts.flatMap((t) => t.needs))] as NeedsOf<O[number]>[],
  terms: parts.flatMap((t) => t.terms),
});

/**
 * Scales an objective. Weight 0 needs no columns, so the stages for them do not run. (Its type still needs
 * the columns: a value cannot change a type.)
 */
export const weighted = <N extends Column>(weight: number, part: Objective<N>): Objective<N> => ({
  id: `${weight} ${part.id}`,
  station: 'objective',
  needs: weight === 0 ? [] : part.needs,
  terms: weight === 0 ? [] : part.terms.map((t) => ({ ...t, weight: t.weight * weight })),
});

/**
 * The loss and the metrics of a micro-batch: the weighted sum of the terms; metrics of the same name are
 * summed too.
 */
export const buildLoss = (
  objectiveOf: Objective,
  inputsOf: (term: number) => { readonly [name: string]: Expr },
  learner: ModelGraphView,
): Required<LossParts> => {
  const metrics: { [name: string]: Expr } = {};
  let loss: Expr | undefined;
  objectiveOf.terms.forEach((term, at) => {
    const made = term.build(inputsOf(at), learner);
    const scaled = term.weight === 1 ? made.loss : mul(made.loss, scalar(term.weight));
    loss = loss ? add(loss, scaled) : scaled;
    for (const [name, value] of Object.entries(made.metrics ?? {}))
      metrics[name] = metrics[name] ? add(metrics[name], value) : value;
  });
  return { loss: loss ?? scalar(0), metrics };
};
