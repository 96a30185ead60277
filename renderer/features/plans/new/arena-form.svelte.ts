import { usual } from '../../../../engine/common/suggested.ts';
import { verifierAmong } from '../../../../engine/common/verifiers.ts';
import type { ArenaSpec } from '../../../../engine/schema/plan.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { Dataset } from '../../../../preload/contract/datasets.ts';
import type { Run } from '../../../../preload/contract/runs.ts';
import {
  arenaPlan,
  exampleRewards,
  shortSorting,
  shortSortingLongest,
  type ArenaBase,
  type ArenaTask,
  type Verifier,
} from '../../../../preload/wire/arena-plan.ts';
import { snippetFault } from '../../../../preload/wire/snippet-fault.ts';
import { triedOn, type TriedOn } from '../../../../preload/wire/tried-on.ts';
import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { Catalogue } from '../../../lib/methods.ts';
import { NumberEntry, seedBounds } from '../../../lib/number-entry.svelte.ts';
import { allOf } from '../../../lib/pages.ts';
import { canBeArena } from '../../../lib/starts.ts';
import { PlanDraft } from '../plan-draft.svelte.ts';
import { verifierOf } from './references.ts';
import { numberOf, StartChoice } from './start-choice.svelte.ts';

type Client = Pick<WhetstoneClient, 'plans' | 'runs' | 'models' | 'datasets' | 'rewards'>;
type Rule = ArenaSpec['rule'];
type World = Catalogue['worlds'][number];

/** Rules that hand out the budgets, in the order of the form. */
export const arenaRules: Readonly<Record<Rule, string>> = {
  d3rb: 'D3RB: balances the regret of the candidates',
  exp3: 'Exp3: draws in proportion to their gains',
  'explore-then-commit': 'Explore, then commit: some for each, then all for the best',
  'successive-halving': 'Successive halving: the better half goes on',
  uniform: 'Uniform: the same for each',
};

const whole = { integer: true, low: 1 };
/** Learning rates of GRPO: of models from random weights, and of pretrained ones. */
const RATE = 1e-3;
const PRETRAINED_RATE = 5e-6;
/** The option for short sorting: the form begins with it, as a budget of it ends in seconds. */
export const SHORT = 'short-sorting';

/** The answers of an arena’s task on which code is tried; null if there are none. */
function answersOf(base: ArenaBase): TriedOn | null {
  if (base.kind === 'run') return triedOn(base.spec.task);
  const { task } = base;
  if (task.kind === 'dataset') return { kind: 'dataset', datasetId: task.datasetId };
  return { kind: 'world', id: task.world.id, params: { ...task.world.params } };
}

/** A new reward arena while it is filled in. */
export class ArenaForm extends PlanDraft {
  readonly start: StartChoice;
  /** The run whose settings the candidates share; empty: GRPO on the chosen task. */
  runId = $state('');
  /** `SHORT`, `world:ID` or `dataset:ID`. */
  task = $state(SHORT);
  candidates = $state<{ id: string; code: string }[]>(exampleRewards.map((each) => ({ ...each })));
  withVerifier = $state(true);
  rule = $state<Rule>('d3rb');
  runs = $state.raw<readonly Run[]>([]);
  worlds = $state.raw<readonly World[]>([]);
  datasets = $state.raw<readonly Dataset[]>([]);
  readonly budgets = new NumberEntry(16, { ...whole, high: 256 });
  readonly updates = new NumberEntry(10, { ...whole, high: 1_000_000 });
  readonly problems = new NumberEntry(48, { ...whole, high: 10_000 });
  readonly learned = new NumberEntry(120, { ...whole, high: 1_000_000 });
  readonly rate = new NumberEntry(RATE, { low: 1e-9, high: 10 });
  readonly batch = new NumberEntry(4, { ...whole, high: 4096 });
  readonly maxTokens = new NumberEntry(shortSortingLongest.answer, { ...whole, high: 8192 });
  readonly seed = new NumberEntry(0, seedBounds);
  private readonly client: Client;

  constructor(client: Client) {
    super(client.plans);
    this.client = client;
    this.start = new StartChoice(client);
  }

  /** `runs`: those of the workspace; `runId`: the one to begin with, if any. */
  async load(
    runs: readonly Run[],
    runId: string | undefined,
    ...names: Parameters<StartChoice['load']>
  ): Promise<void> {
    const [datasets, { worlds, methods }] = await Promise.all([
      allOf((page) => this.client.datasets.list(page)),
      this.client.runs.catalogue({}),
      this.start.load(...names),
    ]);
    const taskOf = (method: string | undefined) => methods.find(({ id }) => id === method)?.task;
    this.runs = runs.filter((run) => canBeArena(run, taskOf(run.spec?.method.id)));
    if (this.runs.some(({ id }) => id === runId)) this.runId = runId ?? '';
    this.datasets = datasets.filter(({ doctor }) => doctor.verifier !== null);
    this.worlds = worlds.filter(({ taskKinds }) => taskKinds.includes('verifiable'));
  }

  /** Chooses a task; a length of answers that was not typed follows it. */
  choose(task: string): void {
    const before = this.suggestedLength;
    this.task = task;
    if (this.maxTokens.value === before) this.maxTokens.set(this.suggestedLength);
  }

  /** Begins from another model; a learning rate that was not typed follows its size. */
  begin(value: string): void {
    const before = this.suggestedRate;
    this.start.value = value;
    if (this.rate.value === before) this.rate.set(this.suggestedRate);
  }

  add(): void {
    const taken = this.candidates.map(({ id }) => id);
    let number = this.candidates.length + 1;
    while (taken.includes(`reward-${number}`)) number++;
    this.candidates.push({ id: `reward-${number}`, code: exampleRewards[0].code });
  }

  remove(at: number): void {
    this.candidates.splice(at, 1);
  }

  private get suggestedRate(): number {
    return this.start.isPretrained ? PRETRAINED_RATE : RATE;
  }
  private get worldTask(): Extract<ArenaTask, { kind: 'world' }> | null {
    if (this.task === SHORT) return { kind: 'world', world: shortSorting, longest: shortSortingLongest };
    const found = this.worlds.find(({ id }) => this.task === `world:${id}`);
    return found ? { kind: 'world', world: { id: found.id }, longest: found.longest } : null;
  }
  private get suggestedLength(): number {
    return this.worldTask?.longest.answer ?? usual.maxTokens;
  }

  private get arenaTask(): ArenaTask {
    const { worldTask } = this;
    if (worldTask) return worldTask;
    const found = this.datasets.find(({ id }) => this.task === `dataset:${id}`);
    if (!found) throw new WhetstoneError('invalid-input', 'Choose a task.', { where: 'task' });
    return { kind: 'dataset', datasetId: found.id, verifier: verifierOf(found) };
  }

  private get base(): ArenaBase {
    const { spec } = this.runs.find(({ id }) => id === this.runId) ?? {};
    if (spec) return { kind: 'run', spec, verifier: this.judgeOf(spec) };
    return {
      kind: 'task',
      task: this.arenaTask,
      start: this.start.source,
      learned: this.start.source === null ? numberOf(this.learned, 'updates of the start') : 0,
      learningRate: numberOf(this.rate, 'learning rate'),
      batch: numberOf(this.batch, 'prompts of an update'),
      maxTokens: numberOf(this.maxTokens, 'longest answer'),
    };
  }

  /** The verifier of a dataset’s answers: the run’s own, else that of its references; null where a world judges. */
  private judgeOf({ task, rewards, evaluation }: NonNullable<Run['spec']>): Verifier | null {
    if (task.kind !== 'dataset' || evaluation.world !== null) return null;
    const all = [...rewards, ...evaluation.rewards];
    const judge = verifierAmong(all.map(({ id }) => id));
    const own = all.find(({ id }) => id === judge);
    const dataset = this.datasets.find(({ id }) => id === task.datasetId);
    if (own) return { id: own.id, params: own.params };
    if (dataset) return { id: verifierOf(dataset) };
    throw new WhetstoneError(
      'invalid-input',
      'Nothing tells right answers of this run: its dataset has no references.',
      { where: 'settings' },
    );
  }

  file(): unknown {
    return arenaPlan({
      base: this.base,
      candidates: this.candidates.map((each) => ({ ...each })),
      withVerifier: this.withVerifier,
      rule: this.rule,
      budgets: numberOf(this.budgets, 'budgets'),
      updates: numberOf(this.updates, 'updates of a budget'),
      problems: numberOf(this.problems, 'problems'),
      seed: numberOf(this.seed, 'seed'),
    });
  }

  /** Tries each reward on answers of the task before anything is launched. */
  protected override async ready(): Promise<void> {
    // those of the click, whatever is typed while they are tried
    const { base } = this;
    const candidates = this.candidates.map((each) => ({ ...each }));
    const task = answersOf(base);
    if (task === null) return;
    for (const { id, code } of candidates) {
      const tried = await this.client.rewards.trySnippet({ code, task });
      const fault = snippetFault(tried, `The reward “${id}”`);
      if (fault)
        throw new WhetstoneError('invalid-input', fault.message, {
          where: `candidates.${id}`,
          hint: fault.hint,
        });
    }
  }
}
