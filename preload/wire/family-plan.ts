/** A plan that adapts one start to each task of a family, by each of several recipes (arXiv:2410.21582). */
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ModelSource } from '../../engine/schema/model.ts';

/** Rules of the world `toy/rewriting`, the commonest of its mixture first: the tasks of the default family. */
export const rules = ['reverse', 'next', 'rotate', 'swap', 'sort', 'previous'] as const;

/** A recipe: the settings of its runs; or the recipe whose weights are averaged with those of the start. */
interface Recipe {
  readonly title: string;
  readonly does: string;
  readonly spec?: {
    readonly method: object;
    readonly adapter?: object;
    readonly optimizer: { readonly learningRate: number; readonly schedule: string };
    readonly budget: { readonly batch: number };
  };
  /** True if it learns from scored answers: of a dataset by its verifier, of a world by the world’s own. */
  readonly isScored?: boolean;
  /** The recipe whose weights are averaged with those of the start. */
  readonly averages?: string;
}

const optimizer = (learningRate: number) => ({ learningRate, schedule: 'constant' });
const budget = { batch: 64 };
const imitation = { optimizer: optimizer(5e-4), budget };
const lwf = { method: { id: 'lwf', params: { keepWeight: 0.3 } }, ...imitation };
const lora = {
  method: { id: 'sft' },
  adapter: { kind: 'lora', rank: 8 },
  optimizer: optimizer(5e-3),
  budget,
};
const grpo = {
  method: { id: 'grpo', params: { klWeight: 0.3, groupSize: 8 } },
  optimizer: optimizer(2e-4),
  // as many answers a step as rows of the others
  budget: { batch: 8 },
};

/** Every recipe, in the order of lists: a new one is its line here. */
const list = {
  sft: { title: 'Fine-tuning', does: 'imitates', spec: { method: { id: 'sft' }, ...imitation } },
  lwf: {
    title: 'Learning without forgetting',
    does: 'imitates, and keeps the start’s probabilities',
    spec: lwf,
  },
  grpo: {
    title: 'GRPO with a divergence',
    does: 'learns by reward, near the start',
    spec: grpo,
    isScored: true,
  },
  lora: { title: 'LoRA', does: 'imitates by low-rank matrices', spec: lora },
  wise: { title: 'Averaged weights', does: 'averages fine-tuning with the start, ½ each', averages: 'sft' },
} as const satisfies Readonly<Record<string, Recipe>>;
export type RecipeId = keyof typeof list;
export const recipes: Readonly<Record<RecipeId, Recipe>> = list;
export const recipeIds = Object.keys(recipes) as readonly RecipeId[];

/** A task of a family: a rule of the world `toy/rewriting`, or a dataset of prompts, answers and references. */
export type FamilyTask =
  | { readonly name: string; readonly rule: string }
  | {
      readonly name: string;
      readonly datasetId: string;
      /** The reward that compares answers with the references of its rows. */
      readonly verifier: string;
    };

/** How large an experiment is, and what it starts from. */
export interface FamilySettings {
  /** A model of the workspace; null: a small one, which learns the mixture of all rules first. */
  readonly start: ModelSource | null;
  readonly tasks: readonly FamilyTask[];
  readonly recipes: readonly RecipeId[];
  /** Of the adaptations; of more than one each recipe adapts once per seed. The start has the first. */
  readonly seeds: readonly number[];
  /** Updates of a new start, and of each adaptation. */
  readonly learned: number;
  readonly steps: number;
  /** Evaluate after so many updates; 0: only at the end. */
  readonly every: number;
  /** Held-out problems of each evaluation. */
  readonly problems: number;
  /** Learning rates are those of the recipes times this. */
  readonly rate: number;
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
}

const worldOf = (rule: string, params: object = {}) => ({ id: 'toy/rewriting', params: { rule, ...params } });
const checkpointOf = (node: string) => ({ kind: 'checkpoint', checkpointId: { node } });
const small = {
  kind: 'new',
  architecture: { width: 48, layers: 2, heads: 2, context: 16 },
  tokenizer: { kind: 'characters' },
};

const taskOf = (task: FamilyTask) =>
  'rule' in task ? { kind: 'world', ...worldOf(task.rule) } : { kind: 'dataset', datasetId: task.datasetId };

const measured = ({ tasks, problems }: FamilySettings, every: number) => ({
  evaluation: tasks.some((task) => 'rule' in task)
    ? { problems, samples: 2, every, world: worldOf('mixture') }
    : { problems: 0, every },
  evaluations: tasks.map((task) => ({
    name: task.name,
    ...('rule' in task
      ? { world: worldOf(task.rule) }
      : { datasetId: task.datasetId, scorer: { id: task.verifier } }),
    problems,
    samples: 2,
  })),
});

/**
 * A new start imitates a mixture of all rules, a fifth of whose rows follow another rule than they say; one of
 * the workspace is measured as it is.
 */
const startOf = (settings: FamilySettings) => {
  const { start, tasks, learned, maxTokens, seeds } = settings;
  const learns = {
    models: { policy: small },
    task: { kind: 'world', ...worldOf('mixture', { wrong: 0.2 }) },
    optimizer: { learningRate: 4e-3, schedule: 'linear' },
    budget: { steps: learned, batch: 64 },
  };
  const stays = { models: { policy: start }, task: taskOf(tasks[0]), budget: { steps: 0 } };
  return {
    id: 'base',
    spec: {
      method: { id: 'sft' },
      ...(start ? stays : learns),
      sampling: { maxTokens },
      ...measured(settings, 0),
      seed: seeds[0],
    },
  };
};

/** A node’s id says its recipe and task, and of several seeds its seed. */
const idOf = (recipe: string, { name }: FamilyTask, { seeds }: FamilySettings, seed: number): string =>
  `${recipe}-${name}${seeds.length > 1 ? `-seed-${seed}` : ''}`;

function adaptedTo(task: FamilyTask, recipe: RecipeId, settings: FamilySettings, seed: number) {
  const { spec, averages, isScored } = recipes[recipe];
  const shared = { task: taskOf(task), sampling: { maxTokens: settings.maxTokens } };
  const id = idOf(recipe, task, settings, seed);
  if (averages !== undefined || spec === undefined) {
    const policy = {
      ...checkpointOf(idOf(averages ?? recipe, task, settings, seed)),
      average: [{ checkpointId: { node: 'base' }, weight: 0.5 }],
    };
    const own = { method: { id: 'sft' }, models: { policy }, ...shared, budget: { steps: 0 } };
    return { id, spec: { ...own, ...measured(settings, 0), seed } };
  }
  const { learningRate, schedule } = spec.optimizer;
  return {
    id,
    spec: {
      ...spec,
      optimizer: { learningRate: learningRate * settings.rate, schedule },
      models: { policy: checkpointOf('base') },
      ...shared,
      ...(isScored && 'verifier' in task && { rewards: [{ id: task.verifier }] }),
      budget: { ...spec.budget, steps: settings.steps },
      ...measured(settings, settings.every),
      seed: seed + 50,
    },
  };
}

/** The start, and from it each recipe on each task; an average brings the recipe that it is of. */
export const familyNodes = (settings: FamilySettings): object[] => {
  const wanted = new Set<string>(settings.recipes.flatMap((id) => [id, recipes[id].averages ?? id]));
  // averages come after what they average
  const ordered = recipeIds
    .filter((id) => wanted.has(id))
    .toSorted(
      (a, b) => Number(recipes[a].averages !== undefined) - Number(recipes[b].averages !== undefined),
    );
  return [
    startOf(settings),
    ...settings.tasks.flatMap((task) =>
      settings.seeds.flatMap((seed) => ordered.map((recipe) => adaptedTo(task, recipe, settings, seed))),
    ),
  ];
};

const refuse = (where: string, message: string): never => {
  throw new WhetstoneError('invalid-input', message, { where });
};

/** Most evaluations of a run. */
const MOST_TASKS = 20;

/** The plan of a family. Throws `invalid-input` with the field: tasks, recipes, seeds or start. */
export function familyPlan(settings: FamilySettings): object {
  const { start, tasks, recipes: chosen, seeds } = settings;
  if (tasks.length < 2)
    refuse('tasks', 'Choose at least two tasks: what an adaptation to one loses is measured on the others.');
  if (tasks.length > MOST_TASKS) refuse('tasks', `A family has at most ${MOST_TASKS} tasks.`);
  if (chosen.length === 0) refuse('recipes', 'Choose at least one recipe.');
  if (seeds.length === 0) refuse('seeds', 'Choose at least one seed.');
  if (start === null && tasks.some((task) => !('rule' in task)))
    refuse(
      'start',
      'Choose a model: a new one learns the rewriting rules only, and knows nothing of a dataset.',
    );
  return {
    name: 'Robustness family',
    summary: `arXiv:2410.21582: what adapting to one of ${tasks.map(({ name }) => name).join(', ')} costs on the others.`,
    nodes: familyNodes(settings),
  };
}
