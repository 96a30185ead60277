/** A plan: several runs as one plain JSON, with data made from the answers of earlier ones. */
import * as z from 'zod';

/** Most runs and data of one plan, after its rounds and matrices are written out. */
export const MOST_NODES = 512;

const id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,60}$/, 'An id has letters, digits, - and _.')
  .describe('Its name in the plan; within rounds and matrices it is preceded by their ids.');
const name = z.string().min(1).max(300);
const after = z
  .array(name)
  .max(64)
  .default([])
  .describe('Nodes that must be done before, besides its inputs.');
const free = z.record(z.string(), z.unknown());

/** One step from answers to rows: an operator by its id. */
export const OperatorSpec = z.strictObject({ id: z.string().min(1), params: free.default({}) });
export type OperatorSpec = z.infer<typeof OperatorSpec>;

const purpose = z.enum(['train', 'evaluation', 'sample']);
const answersOf = {
  answers: z.union([name, z.array(name).min(1).max(16)]).describe('The nodes whose answers are read.'),
  purpose: purpose
    .optional()
    .describe('Answers sampled for this purpose only; without it, all but those to held-out problems.'),
  operators: z.array(OperatorSpec).max(16).default([]).describe('From answers to rows, in this order.'),
};

/** A run. Its specification may name other nodes: `{ "node": "a" }` in place of a checkpoint or dataset. */
export const RunNode = z.strictObject({
  id,
  use: z.string().min(1).optional().describe('A specification of the plan’s `specs` to begin from.'),
  spec: free.optional().describe('The specification, or what it adds to the shared one.'),
  set: free.default({}).describe('Settings by path, such as optimizer.learningRate.'),
  passes: z
    .number()
    .positive()
    .max(1000)
    .optional()
    .describe('Passes over the training rows of its label set or dataset, in place of budget.steps.'),
  after,
});
export type RunNode = z.infer<typeof RunNode>;

/** Rows made of the answers of earlier runs: a dataset. */
export const DataNode = z.strictObject({ id, ...answersOf, after });
export type DataNode = z.infer<typeof DataNode>;

/** Pairs of the answers of an earlier run, decided by a simulated labeler: a label set. */
export const LabelsNode = z.strictObject({
  id,
  label: z.strictObject({
    answers: name.describe('The run whose answers are paired.'),
    name: name.optional().describe('Name of the label set; without one, that of the node.'),
    pairsPerPrompt: z.int().min(1).max(64).default(4),
    noise: z
      .number()
      .min(0)
      .max(0.5)
      .default(0)
      .describe(
        'Share of its decisions that the labeler gets wrong. It prefers right answers, then short ones.',
      ),
    seed: z.int().min(0).max(0xffff_ffff).default(0),
  }),
  after,
});
export type LabelsNode = z.infer<typeof LabelsNode>;

/** A body that is repeated; a round may use the nodes of the one before. */
export const RoundsNode = z.strictObject({
  id,
  rounds: z.int().min(1).max(64),
  body: z.array(z.unknown()).min(1).max(64),
});

/** A setting of a node of the body and the values that it takes; `*` names all runs of the body. */
export const MatrixAxis = z.strictObject({
  set: z
    .string()
    .min(3)
    .max(200)
    .describe('Node and setting, such as train.optimizer.learningRate or *.seed.'),
  values: z.array(z.unknown()).min(1).max(64),
  names: z.array(id).min(1).max(64).optional().describe('A name for each value, which ids use.'),
});
export type MatrixAxis = z.infer<typeof MatrixAxis>;

/** A body for each combination of values: recipe × data × seed. */
export const MatrixNode = z.strictObject({
  id,
  matrix: z.array(MatrixAxis).min(1).max(8),
  body: z.array(z.unknown()).min(1).max(64),
});

/** `free`: the rule decides; `paused`: it gets none; `pinned`: it gets an equal share at least. */
export const candidateModes = ['free', 'paused', 'pinned'] as const;
export type CandidateMode = (typeof candidateModes)[number];

/** Candidates that get the next budget by their evaluations; each pull is a run that goes on from the last. */
export const ArenaNode = z.strictObject({
  id,
  arena: z.strictObject({
    rule: z.enum(['d3rb', 'exp3', 'explore-then-commit', 'successive-halving', 'uniform']).default('d3rb'),
    pulls: z
      .int()
      .min(1)
      .max(256)
      .describe('Budgets that are handed out: runs, each with the steps of its candidate.'),
    metric: name.default('pass_at_1').describe('Measure of the evaluation at the end of each run.'),
    range: z
      .tuple([z.number(), z.number()])
      .refine(([worst, best]) => worst !== best, 'The worst and the best value are the same.')
      .default([0, 1])
      .describe('Its worst and its best value.'),
    oracle: z
      .union([z.number(), z.array(name).min(1).max(64)])
      .optional()
      .describe('The best value that a candidate can reach, or runs whose best one it is: for the regret.'),
    confidence: z.number().min(0).max(10).default(0.2).describe('D3RB: weight of the confidence width.'),
    regret: z
      .number()
      .min(0.001)
      .max(10)
      .default(1)
      .describe('D3RB: regret that every candidate may have at first, as a share of the range.'),
    explore: z.number().min(0.01).max(1).default(0.2).describe('Exp3: share of uniform exploration.'),
    trials: z
      .int()
      .min(1)
      .max(64)
      .default(2)
      .describe('Explore, then commit: budgets that every candidate gets first.'),
    eta: z.int().min(2).max(10).default(2).describe('Successive halving: one in eta goes on.'),
    seed: z.int().min(0).max(0xffff_ffff).default(0),
  }),
  candidates: z.array(z.unknown()).min(2).max(32).describe('Runs, as nodes of their own would be.'),
  after,
});
export type ArenaSpec = z.infer<typeof ArenaNode>['arena'];

/**
 * A node of the past: in a round, the one of the round before, or of so many rounds before. `first` names the node
 * that is used where there is no such round: one, or one for each round from the first on.
 */
export const NodeReference = z.strictObject({
  node: name,
  round: z.union([z.literal('previous'), z.int().min(1).max(64)]).optional(),
  first: z.union([name, z.array(name).min(1).max(64)]).optional(),
});
export type NodeReference = z.infer<typeof NodeReference>;

/** The task `run` of a node: the answers of earlier nodes; other fields are those of a dataset's task. */
export const RunTask = z.looseObject({ kind: z.literal('run'), ...answersOf });

export const PlanSpec = z.strictObject({
  version: z.literal(1).default(1),
  name: z.string().max(120).default(''),
  summary: z.string().max(2000).default('').describe('What the plan is for, in a sentence.'),
  specs: z.record(z.string(), free).default({}).describe('Specifications that several nodes begin from.'),
  nodes: z
    .array(z.unknown())
    .min(1)
    .max(MOST_NODES)
    .describe('Runs, data, labels, rounds and matrices, in order.'),
});
export type PlanSpec = z.infer<typeof PlanSpec>;
export type PlanSpecInput = z.input<typeof PlanSpec>;
