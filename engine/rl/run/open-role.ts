/** Opens a role of a recipe: its model, stages and optimizer. */
import type { Checkpoint } from '../../models/checkpoint.ts';
import { frozenBase, type FrozenBase } from '../../models/inputs.ts';
import { trainedOf, withHead, type Model } from '../../models/model.ts';
import type { ParameterSet } from '../../models/parameters.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { Updater } from '../compute/updater.ts';
import { LiveModel, RowPrograms } from '../compute/live-model.ts';
import { modelGraph } from '../compute/model-graph.ts';
import { liveStages, requiredColumns } from '../kernel/check.ts';
import type { Control } from '../kernel/control.ts';
import { sum } from '../kernel/objective.ts';
import { fitsHead, mainOf, type Recipe, type Role } from '../kernel/recipe.ts';
import { entropyBonus } from '../parts/regularizers/entropy-bonus.ts';
import { initialOf } from './initial-model.ts';
import { samples, type LiveRole } from './live-role.ts';
import type { RoleModels } from './open-role-models.ts';
import { cannotResume } from './refusals.ts';
import { roleSpec } from './role-spec.ts';

/** Common arguments of a run's roles. */
interface RunFacts {
  readonly control: Control;
  readonly recipe: Recipe;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  /** Initial models of roles that do not start as the policy. */
  readonly roleModels?: RoleModels;
  readonly programs: RowPrograms;
  readonly spec: RunSpec;
  readonly steps: number;
  readonly saved?: Checkpoint;
}

/** Programs of a configuration, shared by the roles whose models have it. */
type ProgramsOf = (model: Model) => RowPrograms;

interface Counts {
  readonly draws: number;
  readonly updates: number;
  readonly memory?: { readonly [stage: string]: unknown };
}

interface RoleFacts extends RunFacts {
  readonly programsOf: ProgramsOf;
  readonly name: string;
  readonly isMain: boolean;
  readonly counts?: Counts;
}

/** Opens every role of a recipe; `counts`: saved counters by role. */
export const openRoles = (facts: RunFacts, counts: { readonly [name: string]: Counts } = {}): LiveRole[] => {
  const main = mainOf(facts.recipe);
  const { programs: first } = facts;
  const made = new Map([[first.graph.id, first]]);
  const programsOf: ProgramsOf = ({ config }) => {
    const graph = modelGraph(config);
    const found = made.get(graph.id) ?? new RowPrograms(first.device, graph);
    made.set(graph.id, found);
    return found;
  };
  return Object.keys(facts.recipe.roles).map((name) =>
    openRole({ ...facts, programsOf, name, isMain: name === main, counts: counts[name] }),
  );
};

/** Columns recorded for sampled rows, even if no stage reads them. */
const recorded = [
  'problem',
  'sample',
  'completion',
  'ended',
  'tokens',
  'mask',
  'behaviorLogp',
  'groupId',
  'reward/total',
] as const;

const openRole = (given: RoleFacts): LiveRole => {
  const facts = { ...given, spec: roleSpec(given.spec, given.recipe, given.name) };
  const { control, recipe, name, model: policy, roleModels = {}, spec, counts } = facts;
  const role = withAdded(recipe.roles[name], control);
  const own = roleModels[name] as RoleModels[string] | undefined;
  const { tokenizer } = own ?? facts;
  const model = headed(own?.model ?? policy, role, spec.seed);
  const programs = facts.programsOf(model);
  const parameters = sharesStart(facts) ? trainedOf(model) : trainedOf(model).clone();
  const base = frozenBase(model);
  const start = role.restarts ? trainedOf(model).flat : undefined;
  if (role.objective) restoreParameters(parameters, facts);
  const isSampler = samples({ role });
  const temperature = isSampler ? spec.sampling.temperature : 1;
  const optimizerState = savedOptimizer(role, facts);
  return {
    name,
    role,
    ...(own && role.objective && { initial: { live: initialOf(programs, model), model, tokenizer } }),
    sampling: spec.sampling,
    temperature,
    learner: learnerOf(role, { programs, parameters, base, temperature, optimizerState }, facts),
    stages: liveStages(role.stages, [
      ...requiredColumns(recipe, name),
      ...(isSampler ? recorded.filter((column) => role.has.includes(column)) : []),
    ]),
    model: model.adapter ? { ...model, adapter: { ...model.adapter, parameters } } : { ...model, parameters },
    tokenizer,
    trained: parameters,
    live: new LiveModel(programs, parameters, base),
    ...(start && { start }),
    memory: new Map(Object.entries(counts?.memory ?? {})),
    draws: counts?.draws ?? 0,
    updates: counts?.updates ?? 0,
  };
};

/**
 * True if a role's parameters are its start's, without a copy: nothing is written to those of a frozen role. The
 * fit of the main role changes only the head of a model that no other role has and no stage queries.
 */
const sharesStart = ({ recipe, name, isMain, roleModels = {} }: RoleFacts): boolean => {
  const { [name]: role, [mainOf(recipe)]: main } = recipe.roles;
  return role.objective ? isMain && fitsHead(role) && !role.restarts : name in roleModels || !fitsHead(main);
};

/** Restores parameters from a checkpoint, if any. */
const restoreParameters = (parameters: ParameterSet, { saved, name, isMain }: RoleFacts): void => {
  const from =
    saved?.optimizer?.[`${name}/parameters`] ?? (isMain ? saved && trainedOf(saved.model).flat : undefined);
  if (from && from.length !== parameters.size)
    throw cannotResume(
      `it has ${from.length} parameters of '${name}', where ${parameters.size} are needed`,
      `${name}/parameters`,
    );
  if (from) parameters.flat.set(from);
};

/** The role's optimizer state in a checkpoint. Throws `conflict` if it is missing. */
const savedOptimizer = (
  { objective }: Role,
  { saved, name, counts }: RoleFacts,
): { [key: string]: Float32Array } => {
  const prefix = `${name}/`;
  const state = Object.fromEntries(
    Object.entries(saved?.optimizer ?? {}).flatMap(([key, values]) =>
      key.startsWith(`${prefix}optimizer/`) ? [[key.slice(prefix.length), values]] : [],
    ),
  );
  if (
    saved &&
    (counts?.updates ?? 0) > 0 &&
    objective &&
    objective.terms.length > 0 &&
    Object.keys(state).length === 0
  )
    throw cannotResume(`it has no optimizer state of '${name}'`, `${name}/optimizer`);
  return state;
};

/** The role's updater; undefined for a frozen role and one solved in closed form. */
const learnerOf = (
  { objective }: Role,
  {
    programs,
    parameters,
    base,
    temperature,
    optimizerState,
  }: {
    readonly programs: RowPrograms;
    readonly parameters: ParameterSet;
    readonly base?: FrozenBase;
    readonly temperature: number;
    readonly optimizerState: { readonly [key: string]: Float32Array };
  },
  { spec, name, steps }: RoleFacts,
): Updater | undefined => {
  if (!objective || objective.terms.length === 0) return undefined;
  return new Updater(
    {
      device: programs.device,
      graph: programs.graph,
      parameters,
      ...(base && { base }),
      objective,
      optimizer: spec.optimizer,
      limits: { maxTokens: spec.sampling.maxTokens },
      temperature,
      steps,
      microBatchTokens: spec.budget.microTokens,
      recompute: spec.budget.recompute,
      dropout: { rate: spec.optimizer.dropout, seed: spec.seed, purpose: `dropout of ${name}` },
    },
    optimizerState,
  );
};

/**
 * A sampling role with the objective terms set by controllers, which replace the objective's own terms of the
 * same kind.
 */
const withAdded = (role: Role, control: Control): Role => {
  const { objective } = role;
  if (
    !control.adds.includes('entropy') ||
    !samples({ role }) ||
    !objective ||
    objective.terms.length === 0 ||
    !entropyBonus.needs.every((need) => role.has.includes(need))
  )
    return role;
  return {
    ...role,
    objective: sum(
      { ...objective, terms: objective.terms.filter(({ id }) => id !== entropyBonus.id) },
      entropyBonus,
    ),
  };
};

/** The run's model with the head required by a role. */
const headed = (model: Model, { head }: Role, seed: number): Model => {
  if (!head || (head.kind === model.config.head && (head.labels ?? 1) === (model.config.labels ?? 1)))
    return model;
  return withHead(model, head.kind, seed, head.labels);
};
