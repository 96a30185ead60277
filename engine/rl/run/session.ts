/** A run opened: its data, its models, its recipe with live stages; new, or as a checkpoint left it. */
import { join } from 'node:path';
import { z } from 'zod';
import { configOf, type Head } from '../../models/config.ts';
import {
  openModelFolder,
  readCheckpoint,
  writeCheckpoint,
  type Checkpoint,
  type SavedCheckpoint,
} from '../../models/checkpoint.ts';
import { changesNothing } from '../../models/adapters/lora.ts';
import { frozenBase } from '../../models/inputs.ts';
import { resolveModelFolder } from '../../models/folder.ts';
import { createModel, inType, trainedOf, withHead, type Model } from '../../models/model.ts';
import { ParameterSet } from '../../models/parameters.ts';
import { part, pause } from '../../pace/index.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { InitialModel, RewardContext, TextScorer } from '../../rewards/index.ts';
import { openStack, type PlacedReward, type Stack } from '../../rewards/stack.ts';
import { Device, Tally } from '../../runtime/index.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import type { BaseRef, StartRun } from '../../schema/messages.ts';
import { makeTokenizer } from '../../text/load.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { adapterOfRun } from './adapter.ts';
import { live, problems, wanted } from '../kernel/check.ts';
import { writeAnswers } from '../compute/answers.ts';
import type { Problem } from '../kernel/columns.ts';
import type { Control } from '../kernel/control.ts';
import { openControl } from '../controllers/index.ts';
import { FaultLog } from './fault-log.ts';
import { fitting, type LeftOut } from '../tasks/fitting.ts';
import {
  answerRows,
  checkpointOpener,
  openLikelihood,
  openTextScorer,
  scoredTokens,
  spelledAsPrompts,
  totalOf,
} from '../evaluation/judges.ts';
import { BatchLearner } from '../compute/learner.ts';
import { LiveModel, RowPrograms } from '../compute/live-model.ts';
import { openMaterial, type Material } from '../tasks/material.ts';
import type { Method } from '../kernel/method.ts';
import { methods } from '../methods/index.ts';
import { modelGraph } from '../compute/model-graph.ts';
import { sum } from '../kernel/objective.ts';
import { packTable, unpackTable, type PackedTable } from './pack.ts';
import { entropyBonus } from '../parts/regularizers/entropy-bonus.ts';
import { Reading } from '../../schema/reading.ts';
import { mainOf, type Recipe, type Role } from '../kernel/recipe.ts';
import { gather, type Table } from '../kernel/rows.ts';
import { totalSteps } from '../kernel/schedule.ts';
import { checkPrompts, promptsAsked, refuseRandomTrunk } from './refusals.ts';
import { asksAnswers, comparesWithReferences } from '../tasks/references.ts';
import { encodeAhead, encodePrompts, tasksOf } from '../tasks/sources.ts';
import type { Stage } from '../kernel/stage.ts';

/** A role with its model. */
export interface LiveRole {
  readonly name: string;
  readonly role: Role;
  readonly stages: readonly Stage[];
  readonly model: Model;
  /** What of it learning changes. */
  readonly trained: ParameterSet;
  readonly live: LiveModel;
  readonly learner?: BatchLearner;
  /**
   * Temperature of its log-probabilities: a role that samples is its policy at the sampling temperature, any
   * other is at 1.
   */
  readonly temperature: number;
  /** Where a role that restarts begins each batch. */
  readonly start?: Float32Array;
  /** Batches of rows made, updates taken. */
  draws: number;
  updates: number;
}

/** Where a run stands; everything else follows from the spec. */
export interface Standing {
  step: number;
  units: number;
  skippedInRow: number;
}

export interface Session {
  readonly run: StartRun;
  readonly spec: RunSpec;
  readonly method: Method;
  readonly recipe: Recipe;
  readonly material: Material;
  /**
   * Rows of files that were too long for the model, of those that it would have been trained and judged on.
   */
  readonly leftOut: LeftOut;
  readonly tokenizer: Tokenizer;
  readonly device: Device;
  readonly roles: ReadonlyMap<string, LiveRole>;
  /** The role whose model the run is about: what is evaluated and saved. */
  readonly main: LiveRole;
  /** The model that the run began with. */
  readonly initial: LiveModel;
  /** The same as a model that writes. */
  readonly initialModel: Model;
  readonly control: Control;
  /** Scorers of the rows that are learned from. */
  readonly stack: Stack;
  readonly buffers: Map<string, Table>;
  /** Rows of turns that have not ended, by role: they are in no buffer yet. */
  readonly turnRows: Map<string, Table>;
  readonly standing: Standing;
  /** Answers that a scorer could not score, and what every stack of scorers of the run is opened with. */
  readonly faults: FaultLog;
  readonly scoring: Pick<RewardContext, 'report' | 'rehearsal' | 'initial' | 'reference'>;
  readonly totalSteps: number;
  /** What the models took together while the run was opened: one whose head is replaced is copied. */
  readonly openingBytes: number;
  /** What the inspection found; saved with the checkpoint for scorers that correct for length. */
  lengthFit?: { readonly intercept: number; readonly slope: number };
}

const PackedTables = z.record(z.string(), z.record(z.string(), z.unknown()));
/** Changes when what is saved is no longer read as before; earlier versions wrote none. */
const STATE_VERSION = 1;
const SavedState = z.object({
  version: z.literal(STATE_VERSION).optional(),
  step: z.int().min(0),
  units: z.int().min(0),
  skippedInRow: z.int().min(0),
  roles: z.record(z.string(), z.object({ draws: z.int().min(0), updates: z.int().min(0) })),
  buffers: PackedTables,
  turnRows: PackedTables.default({}),
  control: z.record(z.string(), z.unknown()).default({}),
  scorers: z.record(z.string(), z.unknown()).default({}),
  lengthFit: z.object({ intercept: z.number(), slope: z.number() }).optional(),
  reading: Reading.optional(),
});

const notContinued = (why: string, where: string): WhetstoneError =>
  new WhetstoneError('conflict', `A run cannot be continued from this checkpoint: ${why}.`, {
    where,
    hint:
      'Another version of the app has written it, or the specification has changed. The model in it is ' +
      'whole: launch a new run that starts from this checkpoint.',
  });

/**
 * The trainer's facts of a checkpoint. Throws `conflict` where another version of the app has written them.
 */
const stateOf = ({ state }: Checkpoint, folder: string): z.output<typeof SavedState> => {
  const read = SavedState.safeParse(state);
  if (read.success) return read.data;
  throw notContinued(
    'this version of the app does not read its state of training',
    `${folder}: state.json${read.error.issues[0]?.path.map((key) => `.${String(key)}`).join('') ?? ''}`,
  );
};

/** What may stand in for what a spec names. */
export interface Substitutes {
  /**
   * Changes what the run learns from before it begins: how a test shuffles the targets, and sees a method
   * fail.
   */
  readonly prepare?: (material: Material) => Material;
  /** A method that is not in the list. */
  readonly method?: Method;
  /** The run is only measured, on answers that nobody wrote. */
  readonly rehearsal?: boolean;
}

/**
 * Opens a run on a device; with `resumeFrom`, every array and counter is as the checkpoint left it. What
 * follows has the bits of a run that was never stopped only where the device has as many threads as before:
 * sums are split among threads, and another split rounds differently.
 */
export const openSession = async (
  run: StartRun,
  device: Device,
  { prepare = (material) => material, ...substitutes }: Substitutes = {},
): Promise<Session> => {
  const { spec, resources } = run;
  const method = substitutes.method ?? methodOf(spec);
  const opened = prepare(withTexts(await openMaterial(spec, resources), method.texts(spec.method.params)));
  const { model, tokenizer, copiedBytes } = await openModel(run, opened, headOf(method));
  const { context } = model.config;
  await pause(0.5);
  await part(0.5, 1, () => encodeAhead(opened, method.task, tokenizer));
  // what the method writes itself must be spelled as well
  for (const text of method.texts(spec.method.params)) tokenizer.encode(text);
  const { material, leftOut } = fitting(opened, {
    kind: method.task,
    produces: method.produces,
    source: spec.models.policy.kind,
    tokenizer,
    context,
    maxTokens: spec.sampling.maxTokens,
    bySteps: method.reading(spec.method.params)?.kind === 'steps',
    asksAnswers: spec.rewards.some(asksAnswers),
    problems: examined(spec, method, opened),
  });
  const programs = new RowPrograms(device, modelGraph(model.config));
  const initial = initialOf(programs, model);
  const asked =
    model.config.head === 'next-token'
      ? initialFor({ initial, model, tokenizer, spec, world: material.world })
      : undefined;
  const faults = new FaultLog();
  const scoring = {
    report: faults.report,
    rehearsal: substitutes.rehearsal ?? false,
    ...(asked && { initial: asked }),
    ...(material.hasReferences && { reference: true as const }),
  };
  const stack = await openRewards(
    run,
    spec.rewards,
    material.world,
    device,
    scoring,
    promptsAsked(material, spec.budget.steps * spec.budget.batch),
  );
  await checkBeside(run, method, material, scoring);
  const recipe = method.recipe(
    spec.method.params,
    tasksOf(method.task, material, {
      tokenizer,
      context,
      maxTokens: spec.sampling.maxTokens,
      stack: totalOf(stack),
    }),
  );
  refuseRandomTrunk(recipe, spec);
  const unsound = problems(recipe);
  if (unsound.length > 0)
    throw new WhetstoneError(
      'invalid-input',
      `The recipe of '${method.id}' is not sound: ${unsound.join('; ')}.`,
      { where: 'method.params' },
    );
  const saved =
    run.resumeFrom === undefined
      ? undefined
      : await readCheckpoint(run.resumeFrom, model.adapter ? model : undefined);
  const state = saved && stateOf(saved, run.resumeFrom ?? '');
  const steps = totalSteps(recipe, spec.budget.steps);
  const mainName = mainOf(recipe);
  const control = openControl(spec.controllers, { steps, batch: spec.budget.batch });
  const roles = new Map(
    Object.keys(recipe.roles).map((name): [string, LiveRole] => [
      name,
      openRole({
        recipe,
        name,
        control,
        model,
        programs,
        spec,
        steps,
        saved,
        isMain: name === mainName,
        counts: state?.roles[name],
      }),
    ]),
  );
  const main = roles.get(mainName);
  if (!main) throw new WhetstoneError('internal', `The recipe of '${method.id}' has no role.`);
  if (state) {
    control.restore(state.control);
    stack.restore(state.scorers);
  }
  return {
    run,
    spec,
    method,
    recipe,
    material,
    leftOut,
    faults,
    scoring,
    tokenizer,
    device,
    roles,
    main,
    totalSteps: steps,
    initial,
    initialModel: model,
    control,
    stack,
    openingBytes: copiedBytes > 0 ? copiedBytes + model.parameters.flat.byteLength : 0,
    buffers: unpacked(state?.buffers),
    turnRows: unpacked(state?.turnRows),
    standing: { step: state?.step ?? 0, units: state?.units ?? 0, skippedInRow: state?.skippedInRow ?? 0 },
    ...(state?.lengthFit && { lengthFit: state.lengthFit }),
  };
};

/**
 * The held-out problems that the run's policy is asked: a world's, or those of a dataset whose references a
 * verifier compares with. None where it is not examined.
 */
const examined = (
  { evaluation, rewards }: RunSpec,
  { produces }: Method,
  { evaluationWorld, heldout }: Material,
): readonly Problem[] => {
  if (produces !== 'policy' || evaluation.problems === 0) return [];
  if (evaluationWorld)
    return Array.from({ length: evaluation.problems }, (_, index) =>
      evaluationWorld.problem('heldout', index, 0),
    );
  return [...rewards, ...evaluation.rewards].some(comparesWithReferences)
    ? heldout.problems.slice(0, evaluation.problems)
    : [];
};

/** Texts of the method's own, which the alphabet of a new tokenizer must hold as well. */
const withTexts = (material: Material, texts: readonly string[]): Material => ({
  ...material,
  texts: [...material.texts, ...texts],
  trainingTexts: [...material.trainingTexts, ...texts],
});

/**
 * The model that the run began with: with a new adapter that is the frozen model itself, so that no second
 * copy of it stands in memory.
 */
const initialOf = (programs: RowPrograms, model: Model): LiveModel => {
  const { adapter } = model;
  const parameters = trainedOf(model);
  return new LiveModel(
    programs,
    adapter && changesNothing(adapter, model) ? new ParameterSet([]) : parameters,
    frozenBase(model),
  );
};

/** The initial model as rewards ask it: answers at the run's temperature, keyed by the prompt alone. */
const initialFor = ({
  initial,
  model,
  tokenizer,
  spec,
  world,
}: {
  initial: LiveModel;
  model: Model;
  tokenizer: Tokenizer;
  spec: RunSpec;
  world: Material['world'];
}): InitialModel => {
  const {
    device,
    graph: { context },
  } = initial.programs;
  return {
    features: (rows) => initial.features(scoredTokens(rows, tokenizer, context)),
    answers: async (rows, count) => {
      const from_R = Uint32Array.from({ length: rows.length * count }, (_, r) => Math.floor(r / count));
      const problem = rows.map(({ promptId, prompt, reference = null }) => ({ promptId, prompt, reference }));
      const prompts = encodePrompts(problem, { tokenizer, context, maxTokens: spec.sampling.maxTokens });
      const asked = gather(problem, from_R);
      const sample = Float64Array.from(from_R, (_, r) => r % count);
      const answers = await writeAnswers(gather(prompts, from_R), asked, sample, {
        device,
        tokenizer,
        model,
        temperature: spec.sampling.temperature,
        maxTokens: spec.sampling.maxTokens,
        seed: spec.seed,
        purpose: 'answers of the initial model',
        step: 0,
        ...(world?.turns && { turns: world.turns }),
      });
      return answerRows({ ...answers, problem: asked });
    },
  };
};

/**
 * Scorers that are recorded at evaluation, with their places in the specification. They count for nothing.
 */
export const besideOf = ({ evaluation }: RunSpec): PlacedReward[] =>
  evaluation.rewards.map((reward, at) => ({ ...reward, weight: 0, where: `evaluation.rewards.${at}` }));

/**
 * Opens them once, on a device that keeps nothing, so that one that cannot be opened is refused before the
 * first step and not at the first evaluation.
 */
const checkBeside = async (
  run: StartRun,
  { produces }: Method,
  { evaluationWorld, heldout }: Material,
  scoring: Session['scoring'],
): Promise<void> => {
  const beside = besideOf(run.spec);
  if (beside.length === 0 || produces !== 'policy' || run.spec.evaluation.problems === 0) return;
  await openRewards(
    run,
    beside,
    evaluationWorld,
    new Device({ id: run.spec.device, tally: new Tally() }),
    scoring,
    heldout.problems.map(({ prompt }) => prompt),
  );
};

/**
 * The scorers of a list, with what they may ask for. `prompts`: what they will be asked about, which their
 * models must be able to read.
 */
export const openRewards = async (
  run: StartRun,
  rewards: readonly PlacedReward[],
  world: Material['world'],
  device: Device,
  { initial, ...scoring }: Session['scoring'],
  prompts: readonly string[] = [],
): Promise<Stack> => {
  const accept = (checkpointId: string, scorer: TextScorer): void =>
    checkPrompts(checkpointId, scorer, prompts);
  const { rehearsal } = scoring;
  const asked =
    initial && rehearsal
      ? {
          ...initial,
          answers: async (...given: Parameters<InitialModel['answers']>) =>
            spelledAsPrompts(await initial.answers(...given)),
        }
      : initial;
  const stack = await openStack(rewards, {
    ...scoring,
    reference: true,
    ...(asked && { initial: asked }),
    ...(world && { world }),
    checkpoint: checkpointOpener(device, run.resources, openTextScorer, accept),
    policy: checkpointOpener(device, run.resources, openLikelihood, accept),
  });
  return rehearsal ? { ...stack, score: (rows) => stack.score(spelledAsPrompts(rows)) } : stack;
};

/** The model that the run begins with, with the adapter that it trains, if any. */
const openModel = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  material: Material,
  head: Head,
): Promise<{ model: Model; tokenizer: Tokenizer; copiedBytes: number }> => {
  const { model, tokenizer, base, copiedBytes = 0 } = await openPolicy(run, material, head);
  return { tokenizer, copiedBytes, model: adapterOfRun(model, run.spec, base) };
};

/**
 * The model that a run began with, for rewards that ask it when the run is over: of the same run, the same
 * bits. Throws `unsupported` for one that scores and writes nothing.
 */
export const openInitial = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  material: Material,
  device: Device,
): Promise<InitialModel> => {
  const { spec } = run;
  const method = methodOf(spec);
  const { model, tokenizer } = await openModel(
    run,
    withTexts(material, method.texts(spec.method.params)),
    headOf(method),
  );
  if (model.config.head !== 'next-token')
    throw new WhetstoneError('unsupported', 'The run began with a reward model, which writes no answers.', {
      where: 'rewards',
      hint: 'Choose rewards that do not ask the initial model.',
    });
  return initialFor({
    initial: initialOf(new RowPrograms(device, modelGraph(model.config)), model),
    model,
    tokenizer,
    spec,
    world: material.world,
  });
};

const methodOf = ({ method: { id } }: RunSpec): Method => {
  const method = methods.find((each) => each.id === id);
  if (!method) throw new WhetstoneError('not-found', `There is no method '${id}'.`, { where: 'method.id' });
  return method;
};
const headOf = (method: Method): Head =>
  method.head ?? (method.produces === 'reward' ? 'reward' : 'next-token');

/**
 * A model that is random, or a checkpoint's, with the head that the method trains. `base` is where it lies,
 * `copiedBytes` what it took beside the copy with another head.
 */
const openPolicy = async (
  { spec, resources }: Pick<StartRun, 'spec' | 'resources'>,
  material: Material,
  head: Head,
): Promise<{ model: Model; tokenizer: Tokenizer; base?: BaseRef; copiedBytes?: number }> => {
  const {
    models: { policy: source },
    adapter,
  } = spec;
  if (source.kind === 'new') {
    const tokenizer = makeTokenizer(source.tokenizer, material.texts, material.trainingTexts);
    return {
      tokenizer,
      model: createModel(configOf(source.architecture, tokenizer.vocabulary, head), spec.seed),
    };
  }
  const [id, field] =
    source.kind === 'model' ? [source.modelId, 'modelId'] : [source.checkpointId, 'checkpointId'];
  const folder = resources.checkpoints[id];
  if (folder === undefined)
    throw new WhetstoneError('not-found', `The ${source.kind} '${id}' is not there.`, {
      where: `models.policy.${field}`,
    });
  const added = resources.models?.[id];
  const { model, tokenizer, hash } = await openModelFolder(
    folder,
    source.kind === 'model' ? source.prompts : undefined,
    adapter?.kind === 'lora' ? adapter.base : 'float32',
    added?.base,
  );
  const base = { path: await resolveModelFolder(folder), hash: hash ?? added?.hash ?? null };
  if (model.config.head === head) return { model, tokenizer, base };
  if (head === 'next-token')
    throw new WhetstoneError(
      'invalid-input',
      `This ${source.kind} is a reward model; the method needs one that writes text.`,
      { where: `models.policy.${field}`, hint: 'Choose one of a policy.' },
    );
  return {
    model: withHead(model, head, spec.seed),
    tokenizer,
    base,
    copiedBytes: model.parameters.flat.byteLength,
  };
};

interface RoleFacts {
  readonly control: Control;
  readonly recipe: Recipe;
  readonly name: string;
  readonly model: Model;
  readonly programs: RowPrograms;
  readonly spec: RunSpec;
  readonly steps: number;
  readonly saved?: Checkpoint;
  readonly isMain: boolean;
  readonly counts?: { draws: number; updates: number };
}

/** Columns that are kept of sampled rows, whoever else reads them. */
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

const openRole = ({
  control,
  recipe,
  name,
  model: policy,
  programs: shared,
  spec,
  steps,
  saved,
  isMain,
  counts,
}: RoleFacts): LiveRole => {
  const role = withAdded(recipe.roles[name], control);
  const model = headed(policy, role, spec.seed);
  const programs = model === policy ? shared : new RowPrograms(shared.device, modelGraph(model.config));
  // a fit writes the head alone, and nobody asks the initial model of it: no second copy of what it reads
  const fits = role.objective?.fit !== undefined && role.objective.terms.length === 0;
  const parameters = fits ? trainedOf(model) : trainedOf(model).clone();
  const base = frozenBase(model);
  const start = role.restarts ? parameters.flat.slice() : undefined;
  const from =
    saved?.optimizer?.[`${name}/parameters`] ?? (isMain ? saved && trainedOf(saved.model).flat : undefined);
  if (from && from.length !== parameters.size)
    throw notContinued(
      `it has ${from.length} parameters of '${name}', where ${parameters.size} are needed`,
      `${name}/parameters`,
    );
  if (from) parameters.flat.set(from);
  const samples = role.has.includes('behaviorLogp');
  const temperature = samples ? spec.sampling.temperature : 1;
  const prefix = `${name}/`;
  const state = Object.fromEntries(
    Object.entries(saved?.optimizer ?? {}).flatMap(([key, values]) =>
      key.startsWith(`${prefix}optimizer/`) ? [[key.slice(prefix.length), values]] : [],
    ),
  );
  if (
    saved &&
    (counts?.updates ?? 0) > 0 &&
    role.objective &&
    role.objective.terms.length > 0 &&
    Object.keys(state).length === 0
  )
    throw notContinued(`it holds nothing of the optimizer of '${name}'`, `${name}/optimizer`);
  const learner =
    role.objective && role.objective.terms.length > 0
      ? new BatchLearner(
          {
            device: programs.device,
            graph: programs.graph,
            parameters,
            ...(base && { base }),
            objective: role.objective,
            optimizer: spec.optimizer,
            limits: { maxTokens: spec.sampling.maxTokens },
            temperature,
            steps,
            rectangleTokens: spec.budget.microTokens,
            recompute: spec.budget.recompute,
            dropout: { rate: spec.optimizer.dropout, seed: spec.seed, purpose: `dropout of ${name}` },
          },
          state,
        )
      : undefined;
  return {
    name,
    role,
    temperature,
    learner,
    stages: live(role.stages, [
      ...wanted(recipe, name),
      ...(samples ? recorded.filter((column) => role.has.includes(column)) : []),
    ]),
    model: model.adapter ? { ...model, adapter: { ...model.adapter, parameters } } : { ...model, parameters },
    trained: parameters,
    live: new LiveModel(programs, parameters, base),
    ...(start && { start }),
    draws: counts?.draws ?? 0,
    updates: counts?.updates ?? 0,
  };
};

/**
 * A role that samples, with the terms that controllers weigh: whole, in place of what its objective has of
 * them with a weight of its own.
 */
const withAdded = (role: Role, control: Control): Role => {
  const { objective } = role;
  if (
    !control.adds.includes('entropy') ||
    !role.has.includes('behaviorLogp') ||
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

/** The run's model, with the head that a role asks for. */
const headed = (model: Model, { head }: Role, seed: number): Model => {
  if (!head || (head.kind === model.config.head && (head.labels ?? 1) === (model.config.labels ?? 1)))
    return model;
  return withHead(model, head.kind, seed, head.labels);
};

const packed = (tables: ReadonlyMap<string, Table>) =>
  Object.fromEntries([...tables].map(([name, table]) => [name, packTable(table)]));
const unpacked = (tables: z.output<typeof PackedTables> = {}) =>
  new Map(Object.entries(tables).map(([name, table]) => [name, unpackTable(table as PackedTable)]));

/** Saves the run as it stands under `checkpoints/<attempt>-<step>`. */
export const saveSession = async (session: Session): Promise<SavedCheckpoint> => {
  const { run, standing, roles, main, tokenizer, buffers, turnRows, lengthFit } = session;
  const reading = session.method.reading(session.spec.method.params);
  const optimizer: Record<string, Float32Array> = {};
  await session.device.read(
    ...[...roles.values()].flatMap((role) => [
      role.trained.flat,
      ...Object.values(role.learner?.state ?? {}),
    ]),
  );
  for (const role of roles.values()) {
    for (const [key, values] of Object.entries(role.learner?.state ?? {}))
      optimizer[`${role.name}/${key}`] = values;
    if (role !== main) optimizer[`${role.name}/parameters`] = role.trained.flat;
  }
  const state: z.input<typeof SavedState> = {
    version: STATE_VERSION,
    ...standing,
    roles: Object.fromEntries(
      [...roles.values()].map(({ name, draws, updates }) => [name, { draws, updates }]),
    ),
    buffers: packed(buffers),
    turnRows: packed(turnRows),
    control: session.control.state(),
    scorers: session.stack.state(),
    ...(lengthFit && { lengthFit }),
    ...(reading && { reading }),
  };
  // halves would round small updates away; a model that nothing trains stays as it came
  const model = main.learner && !main.model.adapter ? inType(main.model, 'F32') : main.model;
  return writeCheckpoint(join(run.outDir, 'checkpoints', `${run.attempt}-${standing.step}`), {
    model,
    tokenizer,
    state,
    optimizer,
  });
};
