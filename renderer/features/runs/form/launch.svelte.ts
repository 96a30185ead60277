import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import { suggestedFor } from '../../../../engine/common/suggested.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { taskKindOf } from '../../../lib/methods.ts';
import type { Choice, FormContext, Named } from './context.ts';
import { Draft } from './draft.svelte.ts';
import { EstimateState } from './estimate.svelte.ts';
import { faultOfError, faultsIn, type FieldFault } from './holds.ts';
import { homeOf, paths, settingsOf, stepsOf, type Home } from './home.ts';
import { isSame, Offers } from './offers.ts';
import { datasetOf, labeledDataset, rewardsFor, startForLabels, withVerifier } from './references.ts';
import { allOf, sectionsOf, type Sections } from './sections.ts';
import { choicesOf, type Catalogue, type Stock } from './stock.ts';

export type { Catalogue, Stock };

const CHECK_AFTER_MS = 250;
const policyPath = ['models', 'policy'];

/** Failures that say something of the specification, whatever is tried again. */
const refusals: readonly string[] = ['invalid-input', 'unsupported', 'not-found', 'conflict'];

type Port = Pick<WhetstoneClient['runs'], 'check' | 'launch' | 'preflight'>;
type Labels = Pick<WhetstoneClient['labels'], 'reading'>;

/**
 * The specification under edit: checked by the services a moment after each change, launched when it is
 * right.
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
  /**
   * What stands in the form; scorers are shown where a method uses them, and where the run would have some
   * all the same.
   */
  sections: Sections = $derived.by(() =>
    sectionsOf(
      this.catalogue,
      this.taskKind,
      this.usesRewards || this.holdsAny('rewards') || this.holdsAny('controllers'),
    ),
  );
  /** Fields that hold what cannot run, as far as the form itself can tell. */
  faults: readonly FieldFault[] = $derived.by(() => faultsIn(allOf(this.sections), this));
  /** What is shown, as it is sent; and as text, to tell whether it is still the same. */
  private plain = $derived.by(() => this.draft.plain());
  private current = $derived.by(() => JSON.stringify(this.plain));
  private isDone = false;
  /** What the services say of a field. */
  private told: FieldFault | null = $derived.by(() => {
    const error = this.error();
    return error && faultOfError(error, allOf(this.sections), this);
  });
  private checked = $state.raw<{ readonly of: string; readonly spec: RunSpec } | null>(null);
  /** What the check said of the present draft. */
  private fault = $state.raw<WhetstoneError | null>(null);
  /** Why the last launch came to nothing; gone with the next change. */
  private refusal = $state.raw<WhetstoneError | null>(null);
  private readonly stock: Stock;
  private readonly port: Port;
  private readonly launched: (runId: string) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checks = 0;
  /** What the form has put into the draft by itself. */
  private readonly offers: Offers;
  /** The verifier among the scorers that was put there because the dataset suggests it. */
  private offeredVerifier: string | null = null;
  /** The label set that the model to start from was chosen for, and the model that the task was chosen for. */
  private startFor = '';
  private taskFor: Home | undefined;
  private readonly labels: Labels | null;
  private readonly start: Record<string, unknown>;
  /** A task that stands there from the beginning is another run's: it stays as it was. */
  private readonly isCopy: boolean;

  /** `labels`: to be asked what the pairs of a set need; only where nobody named the model to start from. */
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

  /** Everything that is wrong with a field, what the services say of one included. */
  get problems(): readonly FieldFault[] {
    const told = this.told;
    return told && !this.faults.some(({ path }) => path.join('.') === told.path.join('.'))
      ? [...this.faults, told]
      : this.faults;
  }

  /** What went wrong and belongs to no field. */
  get trouble(): WhetstoneError | null {
    return this.told ? null : this.error();
  }

  /** Whether it is known that what is shown cannot run: nothing is asked or started then. */
  get blocked(): boolean {
    return this.faults.length > 0 || (this.fault !== null && refusals.includes(this.fault.kind));
  }

  /**
   * What is shown as the specification that runs, defaults filled in where the services have checked it; else
   * as it stands.
   */
  get json(): string {
    return JSON.stringify(this.checked?.of === this.current ? this.checked.spec : this.plain, null, 2);
  }

  chooseMethod(id: string): void {
    this.draft.set(['method'], { id });
    this.offers.forget(['method']);
    const kind = this.draft.get(['task', 'kind']);
    if (!this.offeredBy.includes(String(kind)) || this.offers.holds(['task'])) this.giveTask(this.home);
    this.follow();
    if (!this.usesRewards) for (const key of ['rewards', 'controllers']) this.draft.set([key], undefined);
  }

  preset(params: Record<string, unknown>): void {
    this.draft.set(['method', 'params'], Object.keys(params).length ? { ...params } : undefined);
    this.offers.forget(['method']);
    this.presetCount += 1;
  }

  private get home(): Home {
    return homeOf(this.stock, this.draft.get(['models', 'policy']));
  }

  /**
   * Something sensible for the first kind that this workspace has anything of; what the model learned before
   * all else.
   */
  private giveTask({ task, world }: Home): void {
    const fit = this.offeredBy;
    const first = this.catalogue.worlds[0];
    const have: Record<string, Record<string, unknown> | undefined> = {
      world: world ? { kind: 'world', ...world } : first && { kind: 'world', id: first.id },
      dataset: this.stock.datasets[0] && { kind: 'dataset', datasetId: this.stock.datasets[0].id },
      labels: this.stock.labelSets[0] && { kind: 'labels', labelSetId: this.stock.labelSets[0].id },
      ...(task && { [String(task.kind)]: { ...task } }),
    };
    // few worlds have preferences, so these are looked for elsewhere first
    const goesOn = task && fit[0] !== 'labels' && fit.includes(String(task.kind));
    const order = goesOn ? [String(task.kind), ...fit] : fit;
    const given = order.map((kind) => have[kind]).find((each) => each !== undefined) ?? { kind: fit[0] };
    this.offers.set(['task'], given);
  }

  /**
   * Goes on from where the model comes from: its task, and the questions that it is asked at evaluation. What
   * someone chose stays, and so does what someone cleared: nothing is put anew while model, task and method
   * are the same.
   */
  private follow(): void {
    if (this.isCopy) return;
    const { home } = this;
    if (!isSame(home, this.taskFor) && this.offers.holds(['task'])) this.giveTask(home);
    this.taskFor = home;
    const draft = { task: this.task, policy: this.draft.get(policyPath) };
    const asked = this.method?.produces === 'policy' ? settingsOf(home, draft, this.catalogue.worlds) : [];
    const settings = [this.onePass, ...asked];
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

  /**
   * How many values of a section the user changed: those that the form was opened with or put there itself
   * are none.
   */
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

  /**
   * Whether a policy would be sharpened that cannot write yet: what it is taught by is its own answers, or
   * pairs of answers, and both would be noise to it.
   */
  get beginsWithNoise(): boolean {
    return (
      this.method?.produces === 'policy' &&
      this.taskKind?.trainsOn !== 'examples' &&
      this.draft.get(['models', 'policy', 'kind']) === 'new'
    );
  }

  /** The dataset whose answers were labeled, where the run learns from labels. */
  get labeled(): string | undefined {
    return labeledDataset(this.task, this.stock.labelSets);
  }

  /** Whether a judge would be made of weights that have learned nothing. */
  get judgesByNoise(): boolean {
    return this.method?.produces === 'reward' && this.draft.get(['models', 'policy', 'kind']) === 'new';
  }

  /** Whether the steps that are asked for may not be taken: a head on frozen features is solved at once. */
  get mayBeSolved(): boolean {
    return this.hasTrunk && this.draft.get(['method', 'params', 'trunk']) !== 'trained';
  }

  private get task(): Record<string, unknown> | undefined {
    return this.draft.get(['task']) as Record<string, unknown> | undefined;
  }

  /** A dataset with references brings the verifier that suits them, unless scorers were chosen. */
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

  /** Labels bring a model that can read them, unless one was chosen. */
  async offerStart(): Promise<void> {
    const { labels, task } = this;
    const setId = task?.kind === 'labels' && typeof task.labelSetId === 'string' ? task.labelSetId : '';
    const isOwn = (): boolean => this.offers.holds(policyPath);
    if (!labels || setId === '' || setId === this.startFor || !isOwn()) return;
    this.startFor = setId;
    const policy = await startForLabels(labels, setId, this.stock.checkpoints);
    if (setId === this.startFor) this.offers.put(policyPath, policy);
  }

  /** Whether the method can leave the model as it is and solve a head on its features. */
  get hasTrunk(): boolean {
    return 'trunk' in ((this.method?.params.properties as object | undefined) ?? {});
  }

  /**
   * Random weights have no features to judge by: the whole of a new model is trained, unless something else
   * was chosen.
   */
  private offerTrunk(): void {
    const isNew = this.hasTrunk && this.draft.get([...policyPath, 'kind']) === 'new';
    this.offers.put(['method', 'params', 'trunk'], isNew ? 'trained' : undefined);
  }

  /** To be called after each change; asks once things are quiet. An answer that is overtaken is dropped. */
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

  /** Estimates what is shown, unless it is known that it cannot run. */
  async askEstimate(): Promise<void> {
    if (!this.blocked) await this.estimate.ask(this.plain);
  }

  /**
   * Whether nothing is known against starting it. An estimate that was refused speaks of the run, which would
   * be refused too; one that failed otherwise says nothing of it.
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
   * Launches what is shown, if it fits into memory; where it does not, the estimate says what would help.
   * `anyway`: even then. One form starts one run.
   */
  async launch(anyway = false): Promise<void> {
    if (this.busy || this.isDone || this.blocked) return;
    const { plain, current } = this;
    this.busy = true;
    this.refusal = null;
    try {
      if (!anyway && !(await this.fits(plain))) return;
      if (this.current !== current) {
        throw new WhetstoneError(
          'conflict',
          'The form was changed while it was checked, so nothing was started.',
          { hint: 'Launch it as it is now.' },
        );
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
