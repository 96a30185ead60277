/**
 * The engine's interface for main: the catalogue, the check of a run's specification, statistics. Never
 * loads the runtime.
 */
import * as z from 'zod';
import { lazily } from './common/lazily.ts';
import { liveStages, requiredColumns } from './rl/kernel/check.ts';
import { recipeFacts } from './rl/tools/atlas.ts';
import type { Method } from './rl/kernel/method.ts';
import { furtherRoles } from './rl/run/check-roles.ts';
import { composers as composerList } from './rewards/composers/index.ts';
import { controllers as controllerList } from './rl/controllers/index.ts';
import { methodOf, methods as methodList } from './rl/methods/index.ts';
import { stubOf, taskKindOf, taskKinds as taskKindList } from './rl/tasks/kinds/index.ts';
import { evaluationFormat, evaluationsOfDatasets } from './rl/tasks/evaluated-rows.ts';
import { datasetFormat } from './rl/tasks/task-kind.ts';
import sanityRecord from './rl/tools/sanity-record.json' with { type: 'json' };
import { sanityFacts, type SanityFacts } from './rl/tools/sanity-record.ts';
import { rewards as rewardList } from './rewards/index.ts';
import { worlds as worldList, type World } from './worlds/index.ts';
import { worldFacts } from './worlds/catalogue.ts';
import type { RecipeFacts, WorldFacts } from './schema/atlas.ts';
import { controlWorlds } from './control/index.ts';
import type {
  ComposerInfo,
  ControllerInfo,
  ControlWorldInfo,
  JsonSchema,
  MeasuredWorld,
  MethodInfo,
  RewardInfo,
  RoleInfo,
} from './schema/method-info.ts';
import { actsByNumbers } from './schema/model.ts';
import { RunSpec } from './schema/run-spec.ts';
import type { TaskKindInfo } from './schema/task-kind.ts';

export { checkSpec } from './rl/run/check-spec.ts';
export { controlWorldById, controlWorlds } from './control/index.ts';
export { compileChart } from './control/charts/chart.ts';
export { checkChart } from './control/charts/check-chart.ts';
export { laneBehaviours } from './control/charts/lane-behaviours.ts';
export { inWords, replay as replayChart } from './control/charts/monitor.ts';
export { attackPrompt } from './rl/tools/attack-prompt.ts';
export { familyNamer, wordingsOf } from './worlds/families.ts';
export { solutionsOf } from './worlds/solutions.ts';
export { evaluationProblems } from './evaluation-problems.ts';
export { recommended } from './recommended.ts';
export * from './data/index.ts';
export * from './evaluate/index.ts';
export * from './experiments/index.ts';
export * from './plans/index.ts';
export * from './evaluate/pairs/index.ts';
export * from './labeling/index.ts';
export * from './run-doctor/index.ts';
export { probeEffect, probes, SMALL_EFFECT, type Probe, type ProbeEffect } from './probes/index.ts';
export * from './suites/index.ts';
export { storedTotals } from './rewards/composers/stored-totals.ts';
export * from './tabular/index.ts';
export { systemClusters, systemEffects, systemFacts, systems, type System } from './systems/index.ts';
export { namedRewards } from './rewards/stack.ts';

/** Stations of a method, first to last: its stages with default parameters, then the objective. */
const stationsOf = (method: Method): string[] => {
  const recipe = method.recipe({}, stubOf(method));
  return Object.entries(recipe.roles).flatMap(([name, role]) => [
    ...liveStages(role.stages, [...requiredColumns(recipe, name), ...(role.objective ? [] : role.has)]).map(
      (s) => s.id,
    ),
    ...(role.objective ? [role.objective.id] : []),
  ]);
};

const rolesOf = (method: Method): readonly RoleInfo[] => furtherRoles(method.recipe({}, stubOf(method)));

const infoOf = (method: Method): MethodInfo =>
  lazily(
    {
      id: method.id,
      title: method.title,
      summary: method.summary,
      cites: method.cites,
      task: method.task,
      actions: method.task !== 'control' ? null : actsByNumbers(method.outputs) ? 'numbers' : 'choices',
      produces: method.produces,
      main: method.main,
      suggested: method.suggested,
      presets: method.presets,
    },
    {
      params: () => z.toJSONSchema(method.params, { io: 'input' }) as JsonSchema,
      stations: () => stationsOf(method),
      roles: () => rolesOf(method),
    },
  );

export const methods: readonly MethodInfo[] = methodList.map(infoOf);
/** The kinds of task, in the order in which forms list them. */
export const taskKinds: readonly TaskKindInfo[] = taskKindList.map(
  ({ kind, title, offeredBy, trainsOn, rewards: use }) => ({
    kind,
    title,
    offeredBy,
    trainsOn,
    rewards: use,
  }),
);
/** The format in which main writes a dataset for the run of a checked spec. */
export const datasetFormatOf = (spec: RunSpec): ReturnType<typeof datasetFormat> =>
  datasetFormat(taskKindOf(methodOf(spec)));
/**
 * The further evaluations of a checked spec that measure a dataset, with the format in which main writes it.
 */
export const evaluatedDatasetsOf = (spec: RunSpec) =>
  evaluationsOfDatasets(spec).map((one) => ({ ...one, format: evaluationFormat(one) }));
/** By method: its toy run, with the recorded results on three seeds (`npm run bench -- sanity --write`). */
export const sanityResults: { readonly [id: string]: SanityFacts | null } = Object.fromEntries(
  methodList.map((method) => [method.id, sanityFacts(method, sanityRecord)]),
);
const kindsOfferedBy = (world: World): readonly string[] =>
  taskKindList
    .filter(
      ({ offeredBy, offeredByWorld }) =>
        (offeredBy as readonly string[]).includes('world') && (offeredByWorld?.(world) ?? true),
    )
    .map(({ kind }) => kind);
export const worlds: readonly MeasuredWorld[] = worldList.map((kind) => {
  const world = kind.open();
  const { maxPromptTokens: prompt, maxTokens: answer, alphabet } = world;
  return {
    ...kind.info,
    longest: { prompt, answer },
    alphabet,
    taskKinds: kindsOfferedBy(world),
    wordings: world.wordings?.kinds ?? [],
  };
});
export const controlWorldInfos: readonly ControlWorldInfo[] = controlWorlds.map(
  ({ id, title, summary, actions: { kind: actions } }) => ({ id, title, summary, actions }),
);
export const controllers: readonly ControllerInfo[] = controllerList.map((c) => c.info);
export const composers: readonly ComposerInfo[] = composerList.map((c) => c.info);
export const rewards: readonly RewardInfo[] = rewardList.map((r) => r.info);
/** The RunSpec's own schema, from which forms and flags are derived. */
export const specSchema = z.toJSONSchema(RunSpec, { io: 'input' }) as JsonSchema;

/** Each method's recipe as its stations, with its defaults and with each of its presets. */
export const recipes = (): {
  readonly [id: string]: {
    readonly recipe: RecipeFacts;
    readonly presets: { readonly [name: string]: RecipeFacts };
  };
} =>
  Object.fromEntries(
    methodList.map((method) => [
      method.id,
      {
        recipe: recipeFacts(method),
        presets: Object.fromEntries(
          Object.entries(method.presets).map(([name, params]) => [name, recipeFacts(method, params)]),
        ),
      },
    ]),
  );
/** Each world with its defaults: levels, ceiling, lengths. Opens the worlds. */
export const openedWorlds = (): readonly WorldFacts[] => worldList.map(worldFacts);
