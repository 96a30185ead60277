import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { Dataset } from '../../../../preload/contract/datasets.ts';
import {
  familyPlan,
  recipeIds,
  rules,
  type FamilyTask,
  type RecipeId,
} from '../../../../preload/wire/family-plan.ts';
import { NumberEntry } from '../../../lib/number-entry.svelte.ts';
import { allOf } from '../../../lib/pages.ts';
import { PlanDraft } from '../plan-draft.svelte.ts';
import { verifierOf } from './references.ts';
import { numberOf, StartChoice } from './start-choice.svelte.ts';

type Client = Pick<WhetstoneClient, 'plans' | 'runs' | 'models' | 'datasets'>;
type Rule = (typeof rules)[number];

const whole = { integer: true, low: 1 };
/** Longest answers of the rules, and of datasets as the launch form suggests them, in tokens. */
const SHORT = 5;
const LONG = 48;
/** Learning rates of a pretrained model: those of recipes are for models of some hundred thousand parameters. */
const PRETRAINED = 0.01;

/** A name as a part of ids: lower-case letters, digits and hyphens; `taken` are the names of other tasks. */
export function taskName(title: string, taken: readonly string[]): string {
  const plain = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const own = plain.slice(0, 30).replaceAll(/^-+|-+$/g, '') || 'data';
  let name = own;
  for (let turn = 2; taken.includes(name); turn++) name = `${own}-${turn}`;
  return name;
}

/** Datasets that can be a task: prompts with answers to imitate, and references that tell right ones. */
export const canBeTask = ({ doctor }: Pick<Dataset, 'doctor'>): boolean =>
  doctor.answers > 0 && doctor.references > 0 && doctor.verifier !== null;

/** A new robustness family while it is filled in. */
export class FamilyForm extends PlanDraft {
  readonly start: StartChoice;
  rules = $state<readonly Rule[]>(['reverse', 'swap', 'previous']);
  /** Ids of datasets. */
  chosen = $state<readonly string[]>([]);
  recipes = $state<readonly RecipeId[]>(['sft', 'lwf', 'grpo', 'wise']);
  datasets = $state.raw<readonly Dataset[]>([]);
  readonly learned = new NumberEntry(600, { ...whole, high: 1_000_000 });
  readonly steps = new NumberEntry(40, { ...whole, high: 1_000_000 });
  readonly problems = new NumberEntry(40, { ...whole, high: 10_000 });
  readonly seeds = new NumberEntry(1, { ...whole, high: 16 });
  readonly rate = new NumberEntry(1, { low: 1e-6, high: 1000 });
  readonly maxTokens = new NumberEntry(SHORT, { ...whole, high: 8192 });
  private readonly client: Client;

  constructor(client: Client) {
    super(client.plans);
    this.client = client;
    this.start = new StartChoice(client);
  }

  async load(...names: Parameters<StartChoice['load']>): Promise<void> {
    const [datasets] = await Promise.all([
      allOf((page) => this.client.datasets.list(page)),
      this.start.load(...names),
    ]);
    this.datasets = datasets.filter(canBeTask);
  }

  /** Begins from another model; learning rates that were not typed follow its size. */
  begin(value: string): void {
    const before = this.suggestedRate;
    this.start.value = value;
    if (this.rate.value === before) this.rate.set(this.suggestedRate);
  }

  private get suggestedRate(): number {
    return this.start.isPretrained ? PRETRAINED : 1;
  }

  toggleRule(rule: Rule): void {
    this.rules = rules.filter((each) => this.rules.includes(each) !== (each === rule));
  }

  toggleRecipe(recipe: RecipeId): void {
    this.recipes = recipeIds.filter((each) => this.recipes.includes(each) !== (each === recipe));
  }

  /** Takes a dataset as a task, or leaves it out; datasets need longer answers than the rules. */
  toggleDataset(id: string): void {
    const before = this.suggestedLength;
    this.chosen = this.datasets
      .map((each) => each.id)
      .filter((each) => this.chosen.includes(each) !== (each === id));
    if (this.maxTokens.value === before) this.maxTokens.set(this.suggestedLength);
  }

  private get suggestedLength(): number {
    return this.chosen.length > 0 ? LONG : SHORT;
  }

  get tasks(): readonly FamilyTask[] {
    const tasks: FamilyTask[] = this.rules.map((rule) => ({ name: rule, rule }));
    for (const dataset of this.datasets) {
      const { id, name } = dataset;
      if (!this.chosen.includes(id)) continue;
      const taken = tasks.map((task) => task.name);
      tasks.push({ name: taskName(name, taken), datasetId: id, verifier: verifierOf(dataset) });
    }
    return tasks;
  }

  file(): unknown {
    return familyPlan({
      start: this.start.source,
      tasks: this.tasks,
      recipes: this.recipes,
      seeds: Array.from({ length: numberOf(this.seeds, 'seeds') }, (_none, at) => at),
      learned: this.start.source === null ? numberOf(this.learned, 'updates of the start') : 0,
      steps: numberOf(this.steps, 'updates'),
      every: 0,
      problems: numberOf(this.problems, 'problems'),
      rate: numberOf(this.rate, 'learning rates'),
      maxTokens: numberOf(this.maxTokens, 'longest answer'),
    });
  }
}
