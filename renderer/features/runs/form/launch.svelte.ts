import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import { suggestedFor } from '../../../../engine/common/suggested.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { specificationErrors } from '../../../../preload/wire/run-states.ts';
import { taskKindOf } from '../../../lib/methods.ts';
import type { Choice, FormContext, Named } from './context.ts';
import { Draft } from './draft.svelte.ts';
import { EstimateState } from './estimate.svelte.ts';
import { faultOfError, faultsIn, type FieldFault } from './field-values.ts';
import { modelDefaultsOf, paths, settingsOf, stepsOf, type ModelDefaults } from './model-defaults.ts';
import { isSame, Offers } from './offers.ts';
import { datasetOf, labeledDataset, rewardsFor, startForLabels, withVerifier } from './references.ts';
import { allOf, sectionsOf, type Sections } from './sections.ts';
import { choicesOf, type Catalogue, type Stock } from './stock.ts';

export type { Catalogue, Stock };

const CHECK_AFTER_MS = 250;
const policyPath = ['models', 'policy'];

/** Errors of the specification itself, which a retry does not change. */
const refusals: readonly string[] = [...specificationErrors, 'conflict'];

type Port = Pick<WhetstoneClient['runs'], 'check' | 'launch' | 'preflight'>;
type Labels = Pick<WhetstoneClient['labels'], 'reading'>;

/**
 * State of the launch form: the specification is checked shortly after each change, and launched once it is
 * valid.
 */
export class LaunchState implements FormContext {
  readonly draft: Draft;
  readonly catalogue: Catalogue;
  readonly estimate: EstimateState;
  busy = $state(false);
  presetCount = $state(0);
  method = $derived.by(() =>
    this.catalogue.methods.find(({ id }) => id === this.draft.get(['method', 'id'])),
  );
  taskKind = $derived.by(() => taskKindOf(this.catalogue, this.method));
  usesRewards = $derived.by(() => (this.taskKind?.rewards ?? 'optional') !== 'optional');
  /** Kinds of data that the method can learn from; the first is the default. */
  private offeredBy: readonly string[] = $derived.by(() => this.taskKind?.offeredBy ?? []);
  /** Sections of the form; scorers are shown if the method uses them, or if the draft has some. */
  sections: Sections = $derived.by(() =>
    sectionsOf(
      this.catalogue,
      this.taskKind,
      this.usesRewards || this.holdsAny('rewards') || this.holdsAny('controllers'),
    ),
  );
  /** Errors that the form finds by itself. */
  faults: readonly FieldFault[] = $derived.by(() => faultsIn(allOf(this.sections), this));
  /** The draft as sent, and as text for comparison. */
  private plain = $derived.by(() => this.draft.plain());
  private current = $derived.by(() => JSON.stringify(this.plain));
  private isDone = false;
  /** The check's error, assigned to its field. */
  private checkFault: FieldFault | null = $derived.by(() => {
    const error = this.error();
    return error && faultOfError(error, allOf(this.sections), this);
  });
  private checked = $state.raw<{ readonly of: string; readonly spec: RunSpec } | null>(null);
  /** The check's error for the current draft. */
  private fault = $state.raw<WhetstoneError | null>(null);
  /** The error of the last launch; cleared by the next change. */
  private refusal = $state.raw<WhetstoneError | null>(null);
  private readonly stock: Stock;
  private readonly port: Port;
  private readonly launched: (runId: string) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checks = 0;
  /** Values that the form set by itself. */
  private readonly offers: Offers;
  /** The verifier that was added to the scorers because the dataset suggests it. */
  private offeredVerifier: string | null = null;
  /** The label set that the initial model was chosen for, and the defaults that the task was chosen from. */
  private startFor = '';
  private taskFor: ModelDefaults | undefined;
  private readonly labels: Labels | null;
  private readonly start: Record<string, unknown>;
  /** Whether the form copies a run, whose task then stays unchanged. */
  private readonly isCopy: boolean;

  /** `labels` provides the requirements of a label set; null if the initial model was given explicitly. */
  constructor(
    stock: Stock,
    start: Record<string, unknown>,
    port: Port,
    launched: (runId: string) => void,
    labels: Labels | null = null,
  ) {
    this.stock = stock;
    this.labels = labels;
    this.catalogue = stock.catalogue;
    this.port = port;
    this.estimate = new EstimateState(port);
    this.launched = launched;
    this.start = structuredClone(start);
    this.isCopy = start.task !== undefined;
    this.draft = new Draft(start);
    this.offers = new Offers(this.draft);
    if (labels)
      this.offers.claim(policyPath, (this.start.models as Record<string, unknown> | undefined)?.policy);
  }

  error = (): WhetstoneError | null => this.fault ?? this.refusal ?? this.estimate.errorOf(this.current);
  suggested = (path: readonly string[]): unknown =>
    path.reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
      suggestedFor(this.method?.suggested ?? {}, {
        models: this.draft.get(['models']),
        adapter: this.draft.get(['adapter']),
      }),
    );

  choices = (key: string, path: readonly string[]): readonly Choice[] | null =>
    choicesOf(this.stock, key, path, (at) => this.draft.get(at));

  registry = (path: readonly string[]): readonly Named[] => {
    if (path.length === 1 && path[0] === 'method') return this.catalogue.methods;
    if (path.includes('rewards')) return rewardsFor(this.catalogue.rewards, this.task, this.stock.datasets);
    return path.includes('controllers') ? this.catalogue.controllers : this.catalogue.worlds;
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

  /** Whether the draft is known to be invalid: no estimate and no launch then. */
  get blocked(): boolean {
    return this.faults.length > 0 || (this.fault !== null && refusals.includes(this.fault.kind));
  }

  /** The specification as JSON, with defaults filled in once the check has returned. */
  get json(): string {
    return JSON.stringify(this.checked?.of === this.current ? this.checked.spec : this.plain, null, 2);
  }

  chooseMethod(id: string): void {
    this.draft.set(['method'], { id });
    this.offers.forget(['method']);
    const kind = this.draft.get(['task', 'kind']);
    if (!this.offeredBy.includes(String(kind)) || this.offers.holds(['task']))
      this.setTask(this.modelDefaults);
    this.follow();
    if (!this.usesRewards) for (const key of ['rewards', 'controllers']) this.draft.set([key], undefined);
  }

  preset(params: Record<string, unknown>): void {
    this.draft.set(['method', 'params'], Object.keys(params).length ? { ...params } : undefined);
    this.offers.forget(['method']);
    this.presetCount += 1;
  }

  private get modelDefaults(): ModelDefaults {
    return modelDefaultsOf(this.stock, this.draft.get(['models', 'policy']));
  }

  /** Sets a task of the first kind that the workspace has data for; the model's own task comes first. */
  private setTask({ task, world }: ModelDefaults): void {
    const fit = this.offeredBy;
    const first = this.catalogue.worlds[0];
    const have: Record<string, Record<string, unknown> | undefined> = {
      world: world ? { kind: 'world', ...world } : first && { kind: 'world', id: first.id },
      dataset: this.stock.datasets[0] && { kind: 'dataset', datasetId: this.stock.datasets[0].id },
      labels: this.stock.labelSets[0] && { kind: 'labels', labelSetId: this.stock.labelSets[0].id },
      ...(task && { [String(task.kind)]: { ...task } }),
    };
    // few worlds have preferences, so other sources come first
    const continues = task && fit[0] !== 'labels' && fit.includes(String(task.kind));
    const order = continues ? [String(task.kind), ...fit] : fit;
    const given = order.map((kind) => have[kind]).find((each) => each !== undefined) ?? { kind: fit[0] };
    this.offers.set(['task'], given);
  }

  /**
   * Sets task and evaluation to the defaults of the initial model. Values that the user set or cleared stay:
   * the same defaults are not offered twice.
   */
  private follow(): void {
    if (this.isCopy) return;
    const { modelDefaults } = this;
    if (!isSame(modelDefaults, this.taskFor) && this.offers.holds(['task'])) this.setTask(modelDefaults);
    this.taskFor = modelDefaults;
    const draft = { task: this.task, policy: this.draft.get(policyPath) };
    const defaults =
      this.method?.produces === 'policy' ? settingsOf(modelDefaults, draft, this.catalogue.worlds) : [];
    const settings = [this.onePass, ...defaults];
    for (const [at, path] of paths.entries()) this.offers.put(path, settings[at]);
    for (const key of ['budget', 'sampling', 'evaluation']) {
      if (Object.keys(this.draft.get([key]) ?? {}).length === 0) this.draft.set([key], undefined);
    }
  }

  private get onePass(): number | undefined {
    if (this.taskKind?.trainsOn !== 'pairs') return undefined;
    const batch = this.draft.get(['budget', 'batch']) ?? this.suggested(['budget', 'batch']);
    return stepsOf(this.stock, this.task, batch);
  }

  /** Number of values in a section that the user changed; initial and offered values do not count. */
  changed(key: string): number {
    const was = { ...(this.start[key] as Record<string, unknown> | undefined) };
    for (const path of paths) {
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

  /** Whether an untrained policy would learn from its own answers or from pairs, which are noise to it. */
  get trainsUntrainedPolicy(): boolean {
    return (
      this.method?.produces === 'policy' &&
      this.taskKind?.trainsOn !== 'examples' &&
      this.draft.get(['models', 'policy', 'kind']) === 'new'
    );
  }

  /** The dataset of the labeled answers, if the run learns from labels. */
  get labeled(): string | undefined {
    return labeledDataset(this.task, this.stock.labelSets);
  }

  /** Whether a reward model would start from random weights. */
  get trainsUntrainedJudge(): boolean {
    return this.method?.produces === 'reward' && this.draft.get(['models', 'policy', 'kind']) === 'new';
  }

  /** Whether the run may take no steps: a head on frozen features is solved in closed form. */
  get mayBeSolved(): boolean {
    return this.hasTrunk && this.draft.get(['method', 'params', 'trunk']) !== 'trained';
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
    const policy = await startForLabels(labels, setId, this.stock.checkpoints);
    if (setId === this.startFor) this.offers.put(policyPath, policy);
  }

  /** Whether the method can freeze the model and solve a head on its features. */
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
    void this.offerStart().catch((error: unknown) => {
      this.refusal = WhetstoneError.from(error);
    });
    const { plain, current } = this;
    const turn = ++this.checks;
    this.refusal = null;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () =>
        void this.port.check({ spec: plain }).then(
          (spec) => {
            if (turn === this.checks) [this.checked, this.fault] = [{ of: current, spec }, null];
          },
          (error: unknown) => {
            if (turn === this.checks) [this.checked, this.fault] = [null, WhetstoneError.from(error)];
          },
        ),
      CHECK_AFTER_MS,
    );
  }

  /** Estimates the draft, unless it is known to be invalid. */
  async askEstimate(): Promise<void> {
    if (!this.blocked) await this.estimate.ask(this.plain);
  }

  /**
   * Whether the run may start. An estimate that refuses the specification blocks it; one that failed for
   * another reason does not.
   */
  private async fits(spec: Record<string, unknown>): Promise<boolean> {
    if ((spec.budget as { overcommit?: unknown } | undefined)?.overcommit === true) return true;
    const { estimate } = this;
    if (!estimate.value?.fits || estimate.isOld(spec)) await estimate.ask(spec, false);
    if (estimate.error !== null)
      return estimate.error.kind !== 'cancelled' && !refusals.includes(estimate.error.kind);
    return estimate.value?.fits !== false;
  }

  /**
   * Launches the draft if it fits into memory; otherwise the estimate suggests remedies. `anyway` skips the
   * check. A form launches one run.
   */
  async launch(anyway = false): Promise<void> {
    if (this.busy || this.isDone || this.blocked) return;
    const { plain, current } = this;
    this.busy = true;
    this.refusal = null;
    try {
      if (!anyway && !(await this.fits(plain))) return;
      if (this.current !== current) {
        throw new WhetstoneError('conflict', 'The form changed during the check, so nothing was started.', {
          hint: 'Launch again with the current values.',
        });
      }
      const { runId } = await this.port.launch({
        spec: anyway
          ? { ...plain, budget: { ...(plain.budget as object | undefined), overcommit: true } }
          : plain,
      });
      this.isDone = true;
      this.launched(runId);
    } catch (error) {
      this.refusal = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }
}
