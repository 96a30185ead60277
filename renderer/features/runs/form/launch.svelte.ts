import { WhetstoneError } from '../../../../engine/schema/errors.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import { suggestedFor } from '../../../../engine/schema/suggested.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { Choice, FormContext, Named } from './context.ts';
import { Draft } from './draft.svelte.ts';
import { EstimateState } from './estimate.svelte.ts';
import { fieldOf } from './fields.ts';
import type { Field } from './fields.ts';
import { datasetOf, rewardsFor, withVerifier } from './references.ts';
import { choicesOf, type Catalogue, type Stock } from './stock.ts';

export type { Catalogue, Stock };

/** Kinds of data that each kind of method can learn from; the first is the default. */
const tasksOf: Readonly<Record<string, readonly string[]>> = { demonstrations: ['world', 'dataset'], answers: ['world', 'dataset', 'labels'], verifiable: ['world', 'dataset'], preferences: ['labels', 'dataset', 'world'], prompts: ['world', 'dataset', 'labels'] };
const CHECK_AFTER_MS = 250;

/** The specification under edit: checked by the services a moment after each change, launched when it is right. */
export class LaunchState implements FormContext {
  readonly draft: Draft;
  readonly catalogue: Catalogue;
  readonly estimate: EstimateState;
  checked = $state.raw<RunSpec | null>(null);
  busy = $state(false);
  presetCount = $state(0);
  method = $derived.by(() => this.catalogue.methods.find(({ id }) => id === this.draft.get(['method', 'id'])));
  usesRewards = $derived.by(() => this.method?.task === 'verifiable' || this.method?.task === 'prompts');
  private fault = $state.raw<WhetstoneError | null>(null);
  private readonly stock: Stock;
  private readonly port: Pick<WhetstoneClient['runs'], 'check' | 'launch' | 'preflight'>;
  private readonly launched: (runId: string) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checks = 0;
  /** The verifier that was put into the draft because its dataset suggests it. */
  private offered: string | null = null;

  constructor(stock: Stock, start: Record<string, unknown>, port: Pick<WhetstoneClient['runs'], 'check' | 'launch' | 'preflight'>, launched: (runId: string) => void) {
    this.stock = stock;
    this.catalogue = stock.catalogue;
    this.port = port;
    this.estimate = new EstimateState(port);
    this.launched = launched;
    this.draft = new Draft(start);
  }

  error = (): WhetstoneError | null => this.fault;
  suggested = (path: readonly string[]): unknown => path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    suggestedFor(this.method?.suggested ?? {}, { models: this.draft.get(['models']), adapter: this.draft.get(['adapter']) }),
  );

  choices = (key: string, path: readonly string[]): readonly Choice[] | null => choicesOf(this.stock, key, path, (at) => this.draft.get(at));

  registry = (path: readonly string[]): readonly Named[] => (path.includes('rewards') ? rewardsFor(this.catalogue.rewards, this.task, this.stock.datasets) : path.includes('controllers') ? this.catalogue.controllers : this.catalogue.worlds);

  /** The task union, with only those kinds that the chosen method can learn from. */
  get taskField(): Field | null {
    const field = this.section('task');
    const fit = tasksOf[this.method?.task ?? ''] ?? [];
    if (field?.kind !== 'union') return field;
    return { ...field, label: 'Learn from', options: field.options.filter(({ value }) => fit.includes(value)).sort((a, b) => fit.indexOf(a.value) - fit.indexOf(b.value)) };
  }

  get rewardsField(): Field | null {
    const field = this.section('rewards');
    return field && { ...field, label: 'Scorers', hint: field.hint || (this.method?.task === 'verifiable' ? 'None: the world’s own verifier; answers of a dataset are compared with its references. The total is the weighted sum.' : 'Recorded with each answer.') };
  }

  get controllersField(): Field | null {
    const field = this.section('controllers');
    return field && { ...field, label: 'What turns knobs', hint: field.hint };
  }

  chooseMethod(id: string): void {
    this.draft.set(['method'], { id });
    const fit = tasksOf[this.method?.task ?? ''] ?? [];
    const kind = this.draft.get(['task', 'kind']);
    if (!fit.includes(String(kind))) this.draft.set(['task'], this.firstTask(fit));
    if (!this.usesRewards) for (const key of ['rewards', 'controllers']) this.draft.set([key], undefined);
  }

  preset(params: Record<string, unknown>): void {
    this.draft.set(['method', 'params'], Object.keys(params).length ? { ...params } : undefined);
    this.presetCount += 1;
  }

  /** Something sensible for the first kind that this workspace has anything of. */
  private firstTask(fit: readonly string[]): Record<string, unknown> {
    const have: Record<string, Record<string, unknown> | undefined> = {
      world: this.catalogue.worlds[0] && { kind: 'world', id: this.catalogue.worlds[0].id },
      dataset: this.stock.datasets[0] && { kind: 'dataset', datasetId: this.stock.datasets[0].id },
      labels: this.stock.labelSets[0] && { kind: 'labels', labelSetId: this.stock.labelSets[0].id },
    };
    return fit.map((kind) => have[kind]).find((each) => each !== undefined) ?? { kind: fit[0] };
  }

  private section(key: string): Field | null {
    const properties = (this.catalogue.spec.properties ?? {}) as Record<string, Record<string, unknown>>;
    return properties[key] ? fieldOf(properties[key], [key], true, this.catalogue.spec) : null;
  }

  /** Whether a policy would be sharpened that cannot write yet: what it is taught by is its own answers, or pairs of answers, and both would be noise to it. */
  get beginsWithNoise(): boolean {
    return this.method?.produces === 'policy' && this.method.task !== 'demonstrations' && this.draft.get(['models', 'policy', 'kind']) === 'new';
  }

  private get task(): Record<string, unknown> | undefined { return this.draft.get(['task']) as Record<string, unknown> | undefined; }

  /** A dataset with references brings the verifier that suits them, unless scorers were chosen. */
  private offerVerifier(): void {
    const verifier = (this.usesRewards && datasetOf(this.task, this.stock.datasets)?.doctor.verifier) || null;
    if (verifier === this.offered) return;
    const scorers = withVerifier((this.draft.get(['rewards']) as Record<string, unknown>[] | undefined) ?? [], this.offered, verifier);
    this.draft.set(['rewards'], scorers.length > 0 ? scorers : undefined);
    this.offered = verifier;
  }

  /** To be called after each change; asks once things are quiet. An answer that is overtaken is dropped. */
  checkSoon(): void {
    this.offerVerifier();
    const spec = this.draft.plain();
    const turn = ++this.checks;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.port.check({ spec }).then(
      (checked) => { if (turn === this.checks) { this.checked = checked; this.fault = null; } },
      (error: unknown) => { if (turn === this.checks) { this.checked = null; this.fault = WhetstoneError.from(error); } },
    ), CHECK_AFTER_MS);
  }

  /** Whether nothing is known against starting it: an estimate that cannot be made says nothing of the run, whose own check says what is wrong. */
  private async fits(spec: Record<string, unknown>): Promise<boolean> {
    if ((spec.budget as { overcommit?: unknown } | undefined)?.overcommit === true) return true;
    const { estimate } = this;
    if (!estimate.value?.fits || estimate.isOld(spec)) await estimate.ask(spec, false);
    return estimate.error?.kind !== 'cancelled' && estimate.value?.fits !== false;
  }

  /** Launches what is shown, if it fits into memory; where it does not, the estimate says what would help. `anyway`: even then. */
  async launch(anyway = false): Promise<void> {
    this.busy = true;
    try {
      const plain = this.draft.plain();
      const spec = anyway ? { ...plain, budget: { ...plain.budget as object | undefined, overcommit: true } } : plain;
      if (!anyway && !await this.fits(plain)) return;
      const { runId } = await this.port.launch({ spec });
      this.fault = null;
      this.launched(runId);
    } catch (error) {
      this.fault = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }
}
