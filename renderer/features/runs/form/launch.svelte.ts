import { WhetstoneError } from '../../../../engine/common/errors.ts';
import { suggestedFor } from '../../../../engine/common/suggested.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { taskKindOf } from '../../../lib/methods.ts';
import { adviceFor, type Advice } from './advice.ts';
import { attemptFor } from './attempt-template.ts';
import type { Choice, FormContext, Named } from './context.ts';
import { Draft, valueAt } from './draft.svelte.ts';
import { EstimateState } from './estimate.svelte.ts';
import { defaultEvery, everyPath } from './evaluation-every.ts';
import { faultOfError, faultsIn, type FieldFault } from './field-values.ts';
import { goalOf, methodsFor, type Goal } from './goals.ts';
import { Launching, type Launched } from './launching.svelte.ts';
import {
  modelDefaultsOf,
  paths,
  settingsOf,
  stepsOf,
  taskFor,
  type ModelDefaults,
} from './model-defaults.ts';
import { isSame, Offers } from './offers.ts';
import { probeFaults } from './probing.ts';
import { offerRoleModels, policyPath, startOf, startOfGoal, suits } from './quick.ts';
import { datasetOf, labeledDataset, rewardsFor, startForLabels, withVerifier } from './references.ts';
import { keepRoles } from './role-fields.ts';
import { readsMore, remedyFor, type Remedy } from './remedy.ts';
import { type Sections, allOf, ofRewards, registryOf, sectionsOf } from './sections.ts';
import { choicesOf, textCheckpoints, type Catalogue, type Stock } from './stock.ts';
import { summarized } from './summary.ts';
import { refuses, SpecCheck } from './spec-check.svelte.ts';
import { Sweep } from './sweep.svelte.ts';

export type { Catalogue, Stock };

type Port = Pick<WhetstoneClient['runs'], 'check' | 'launch' | 'preflight'>;
type Labels = Pick<WhetstoneClient['labels'], 'reading'>;

/**
 * State of the launch form: the specification is checked shortly after each change, and launched once it is
 * valid.
 */
export class LaunchState implements FormContext {
  readonly takesLists = true;
  readonly draft: Draft;
  readonly sweep: Sweep;
  readonly catalogue: Catalogue;
  readonly estimate: EstimateState;
  private readonly check: SpecCheck;
  readonly launching: Launching;
  presetCount = $state(0);
  method = $derived.by(() =>
    this.catalogue.methods.find(({ id }) => id === this.draft.get(['method', 'id'])),
  );
  taskKind = $derived.by(() => taskKindOf(this.catalogue, this.method));
  goal = $derived.by(() => goalOf(this.catalogue, this.method));
  usesRewards = $derived.by(() => (this.taskKind?.rewards ?? 'optional') !== 'optional');
  /** Kinds of data that the method can learn from; the first is the default. */
  private offeredBy: readonly string[] = $derived.by(() => this.taskKind?.offeredBy ?? []);
  /** Sections of the form; scorers are shown if the method uses them, or if the draft has some. */
  sections: Sections = $derived.by(() =>
    sectionsOf(
      this.catalogue,
      this.taskKind,
      this.usesRewards || this.holdsAny('rewards') || this.holdsAny('controllers'),
      this.isSolved ? 'none' : this.method?.produces === 'rows' ? 'batches' : 'updates',
      this.method?.roles,
      this.draft,
    ),
  );
  /** Errors that the form finds by itself. */
  faults: readonly FieldFault[] = $derived.by(() => [
    ...faultsIn(allOf(this.sections), this),
    ...probeFaults(this.stock, this.method, { task: this.task, policy: this.draft.get(policyPath) }),
    ...(this.sweep.fault ? [this.sweep.fault] : []),
  ]);
  /** The first run as sent, and as text for comparison. */
  first = $derived.by(() => this.sweep.variants[0].spec);
  private current = $derived.by(() => JSON.stringify(this.first));
  /** The check's error, assigned to its field. */
  private checkFault: FieldFault | null = $derived.by(() => {
    const error = this.error();
    return error && faultOfError(error, allOf(this.sections), this);
  });
  readonly stock: Stock;
  /** Values that the form set by itself. */
  private readonly offers: Offers;
  /** The verifier that was added to the scorers because the dataset suggests it. */
  private offeredVerifier: string | null = null;
  /** The label set that the initial model was chosen for, and the defaults that the task was chosen from. */
  private startFor = '';
  private taskFor: ModelDefaults | undefined;
  private readonly labels: Labels | null;
  private readonly start: Record<string, unknown>;
  /** True if the form copies a run, whose task then stays unchanged. */
  private readonly isCopy: boolean;

  /** `labels` provides the requirements of a label set; null if the initial model was given explicitly. */
  constructor(
    stock: Stock,
    start: Record<string, unknown>,
    port: Port,
    launched: (launched: Launched) => void,
    labels: Labels | null = null,
  ) {
    this.stock = stock;
    this.labels = labels;
    this.catalogue = stock.catalogue;
    this.estimate = new EstimateState(port);
    this.launching = new Launching(port, this.estimate, launched);
    this.check = new SpecCheck(port, this.estimate, {
      specs: () => this.sweep.variants.map(({ spec }) => spec),
      offered: () => this.offered(),
      isInvalid: () => this.faults.length > 0,
      remedy: () => this.remedyNow(),
    });
    this.start = structuredClone(start);
    this.isCopy = start.task !== undefined;
    this.draft = new Draft(start);
    this.sweep = new Sweep(
      () => this.draft.plain(),
      () => allOf(this.sections),
      this,
    );
    this.offers = new Offers(this.draft);
    if (labels)
      this.offers.claim(policyPath, (this.start.models as Record<string, unknown> | undefined)?.policy);
  }

  error = (): WhetstoneError | null =>
    this.check.fault ?? this.launching.refusal ?? this.estimate.errorOf(this.current);
  suggested = (path: readonly string[]): unknown =>
    // a role's settings are the run's where it has none of its own
    path[0] === 'roles'
      ? this.valueOf(path.slice(2))
      : valueAt(suggestedFor(this.method?.suggested ?? {}, this.draft.value), path);

  choices = (key: string, path: readonly string[]): readonly Choice[] | null =>
    choicesOf(this.stock, key, path, (at) => this.draft.get(at));

  registry = (path: readonly string[]): readonly Named[] => {
    if (path.length === 1 && path[0] === 'method') return this.catalogue.methods;
    if (path.includes('rewards')) return rewardsFor(this.catalogue.rewards, this.task, this.stock.datasets);
    return registryOf(this.catalogue, path);
  };

  /** All errors of fields, the check's included. */
  get problems(): readonly FieldFault[] {
    const checkFault = this.checkFault;
    return checkFault && !this.faults.some(({ path }) => path.join('.') === checkFault.path.join('.'))
      ? [...this.faults, checkFault]
      : this.faults;
  }

  /** The error that belongs to no field. */
  get generalError(): WhetstoneError | null {
    return this.checkFault ? null : this.error();
  }

  /** True if the draft is known to be invalid: no estimate and no launch then. */
  get blocked(): boolean {
    return (
      this.faults.length > 0 || refuses(this.check.fault) || refuses(this.estimate.errorOf(this.current))
    );
  }

  /** The specification as JSON, with defaults filled in once the check has returned. */
  get json(): string {
    const { valid } = this.check;
    return JSON.stringify(valid?.of === this.current ? valid.spec : this.first, null, 2);
  }

  /** The last valid specification in words, and what of it differs from its origin. */
  get summary() {
    const { isCopy, isSolved, stock } = this;
    return summarized(this.check, { now: this.current, isCopy, isSolved, stock });
  }

  /** Methods of the goal; those that suit the workspace first. */
  get methods() {
    return this.goal ? methodsFor(this.catalogue, this.goal, this.has) : [];
  }

  /** Kinds of data in the workspace. */
  private get has(): readonly string[] {
    const { catalogue, datasets, labelSets } = this.stock;
    const kinds = { world: catalogue.worlds, dataset: datasets, labels: labelSets };
    return Object.entries(kinds).flatMap(([kind, all]) => (all.length > 0 ? [kind] : []));
  }

  /** Starts over with the usual method of a goal, on a model that suits it. */
  chooseGoal(goal: Goal['id']): void {
    const { stock } = this;
    this.offers.put(policyPath, startOfGoal(goal, stock));
    this.startFor = '';
    const [first] = methodsFor(this.catalogue, goal, this.has);
    if (first) this.chooseMethod(first.id);
    // a new model that reads the data, once that is known
    if (this.draft.get([...policyPath, 'kind']) === 'new')
      this.offers.put(policyPath, startOf({ kind: 'new', id: '' }, stock, this.task));
  }

  chooseMethod(id: string): void {
    this.draft.set(['method'], { id });
    this.offers.forget(['method']);
    if (!suits(this.method, this.draft.get(policyPath), this.stock))
      this.offers.set(policyPath, startOfGoal(this.goal, this.stock));
    const kind = this.draft.get(['task', 'kind']);
    if (!this.offeredBy.includes(String(kind)) || this.offers.holds(['task']))
      this.setTask(this.modelDefaults);
    this.follow();
    offerRoleModels(this.method, this.draft, this.offers, this.stock);
    if (!this.usesRewards) for (const key of ofRewards) this.draft.set([key], undefined);
  }

  preset(params: Record<string, unknown>): void {
    this.draft.set(['method', 'params'], Object.keys(params).length ? { ...params } : undefined);
    this.offers.forget(['method']);
    this.presetCount += 1;
  }

  /** The copied run, or the method, data and model on the form with only the form's own offers. */
  private offered(): Record<string, unknown> {
    if (this.isCopy) return this.start;
    const offered = new Draft({ method: { id: this.method?.id } });
    this.offers.apply(offered);
    for (const path of [['task'], policyPath]) offered.set(path, this.draft.get(path));
    if (this.offeredVerifier !== null) offered.set(['rewards'], [{ id: this.offeredVerifier }]);
    return offered.plain();
  }

  private get modelDefaults(): ModelDefaults {
    return modelDefaultsOf(this.stock, this.draft.get(['models', 'policy']));
  }

  private setTask = (defaults: ModelDefaults): void =>
    this.offers.set(['task'], taskFor(this.stock, this.taskKind, defaults, this.method));

  /**
   * Sets task and evaluation to the defaults of the initial model. Values that the user set or cleared stay:
   * the same defaults are not offered twice.
   */
  private follow(): void {
    keepRoles(this.method?.roles ?? [], this.draft);
    if (this.isCopy) return;
    const { modelDefaults } = this;
    if (!isSame(modelDefaults, this.taskFor) && this.offers.holds(['task'])) this.setTask(modelDefaults);
    this.taskFor = modelDefaults;
    const draft = { task: this.task, policy: this.draft.get(policyPath) };
    const settings = [this.onePass, ...settingsOf(modelDefaults, draft, this.catalogue.worlds, this.method)];
    for (const [at, path] of paths.entries()) this.offers.put(path, settings[at]);
    this.offers.put(everyPath, this.every);
    this.offers.put(['method', 'params', 'attempt'], attemptFor(this.stock, this.method, draft.policy));
    for (const key of ['budget', 'sampling', 'evaluation']) {
      // deleting what is not there would start this again
      const held = this.draft.get([key]);
      if (held !== undefined && Object.keys(held ?? {}).length === 0) this.draft.set([key], undefined);
    }
  }

  private get every(): number | undefined {
    const { method, taskKind } = this;
    return defaultEvery({ method, taskKind, valueOf: (path) => this.valueOf(path) });
  }

  /** What a field shows: the draft's value, the method's suggestion, or the default. */
  private valueOf(path: readonly string[]): unknown {
    const field = allOf(this.sections).find((each) => each.path.join('.') === path.join('.'));
    return this.draft.get(path) ?? this.suggested(path) ?? field?.fallback;
  }

  private get onePass(): number | undefined {
    if (this.taskKind?.trainsOn !== 'pairs') return undefined;
    const batch = this.draft.get(['budget', 'batch']) ?? this.suggested(['budget', 'batch']);
    return stepsOf(this.stock, this.task, batch, this.method?.produces);
  }

  /** Number of values in a section that the user changed; initial and offered values do not count. */
  changed(key: string): number {
    const was = { ...(this.start[key] as Record<string, unknown> | undefined) };
    for (const path of [...paths, everyPath]) {
      const [section, name] = path;
      if (section === key && !(name in was)) was[name] = this.offers.of(path);
    }
    const now = (this.draft.get([key]) ?? {}) as Record<string, unknown>;
    return Object.keys(now).filter((name) => !isSame(now[name], was[name])).length;
  }

  private holdsAny(key: string): boolean {
    const held = this.draft.get([key]);
    return Array.isArray(held) && held.length > 0;
  }

  /** The dataset of the labeled answers, if the run learns from labels. */
  get labeled(): string | undefined {
    return labeledDataset(this.task, this.stock.labelSets);
  }

  /** Warnings about this run. */
  get advice(): Advice {
    const { method, taskKind, task, stock } = this;
    return adviceFor({ method, taskKind, task, policy: this.draft.get(policyPath) }, stock);
  }

  private get trunk(): unknown {
    return this.hasTrunk ? (this.draft.get(['method', 'params', 'trunk']) ?? 'auto') : 'trained';
  }
  /** True if the run takes no steps: a head on frozen features is solved in closed form. */
  get isSolved(): boolean {
    return this.trunk === 'frozen';
  }
  /** True if that depends on the number of pairs. */
  get mayBeSolved(): boolean {
    return this.trunk === 'auto';
  }

  private get task(): Record<string, unknown> | undefined {
    return this.draft.get(['task']) as Record<string, unknown> | undefined;
  }

  /** Adds the verifier that suits a dataset's references, unless scorers were chosen. */
  private offerVerifier(): void {
    const verifier = (this.usesRewards && datasetOf(this.task, this.stock.datasets)?.doctor.verifier) || null;
    if (verifier === this.offeredVerifier) return;
    const scorers = withVerifier(
      (this.draft.get(['rewards']) as Record<string, unknown>[] | undefined) ?? [],
      this.offeredVerifier,
      verifier,
    );
    this.draft.set(['rewards'], scorers.length > 0 ? scorers : undefined);
    this.offeredVerifier = verifier;
  }

  /** Selects an initial model that can encode the labels, unless one was chosen. */
  async offerStart(): Promise<void> {
    const { labels, task } = this;
    const setId = task?.kind === 'labels' && typeof task.labelSetId === 'string' ? task.labelSetId : '';
    const isOwn = (): boolean => this.offers.holds(policyPath);
    if (!labels || setId === '' || setId === this.startFor || !isOwn()) return;
    this.startFor = setId;
    const policy = await startForLabels(labels, setId, textCheckpoints(this.stock));
    if (policy && setId === this.startFor) this.offers.put(policyPath, policy);
  }

  /** True if the method can freeze the model and solve a head on its features. */
  get hasTrunk(): boolean {
    return 'trunk' in ((this.method?.params.properties as object | undefined) ?? {});
  }

  /** Trains the whole of a new model by default, since random weights have no useful features. */
  private offerTrunk(): void {
    const isNew = this.hasTrunk && this.draft.get([...policyPath, 'kind']) === 'new';
    this.offers.put(['method', 'params', 'trunk'], isNew ? 'trained' : undefined);
  }

  /** Called after each change; checks after a pause. Outdated responses are dropped. */
  checkSoon(): void {
    this.follow();
    this.offerVerifier();
    this.offerTrunk();
    const refuse = (error: unknown) => (this.launching.refusal = WhetstoneError.from(error));
    void this.offerStart().catch(refuse);
    this.launching.refusal = null;
    this.check.soon();
  }

  /** Ends checks and estimates when the form is left. */
  close = (): void => this.check.close();

  private async remedyNow(): Promise<Remedy | null> {
    const remedy = await remedyFor(this.stock, this.labels, this.task);
    return remedy && readsMore(remedy.policy, this.draft.get(policyPath)) ? remedy : null;
  }

  get remedy(): Remedy | null {
    return this.check.remedy;
  }

  /** Starts from the model that can read the data. */
  takeRemedy(): void {
    if (this.remedy) this.draft.set(policyPath, structuredClone(this.remedy.policy));
  }

  /** Estimates the draft, unless it is known to be invalid. */
  async askEstimate(): Promise<void> {
    if (!this.blocked) await this.estimate.ask(this.first);
  }

  get busy(): boolean {
    return this.launching.busy;
  }

  /** Launches the form's runs; `anyway`: even if the first one does not fit into memory. */
  async launch(anyway = false): Promise<void> {
    if (this.blocked) return;
    const nameNow = () => String(this.draft.get(['name']) ?? this.method?.id ?? '');
    await this.launching.launch(() => this.sweep.named(nameNow()), anyway);
  }
}
