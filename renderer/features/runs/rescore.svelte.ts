import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { RescoreProgress, Rescored } from '../../../preload/contract/rewards.ts';
import type { Choice, FormContext, Named } from './form/context.ts';
import { Draft } from './form/draft.svelte.ts';
import { fieldOf, type Field } from './form/fields.ts';
import { faultOfError, faultsIn, type FieldFault } from './form/field-values.ts';
import { rewardsFor } from './form/references.ts';
import { composerField } from './form/sections.ts';
import { choicesOf, type Stock } from './form/stock.ts';

const CHECK_AFTER_MS = 250;

/** State of scoring the stored answers of a run with other rewards: the form, the progress and the result. */
export class RescoreState implements FormContext {
  readonly draft: Draft;
  readonly field: Field | null;
  readonly composerField: Field | null;
  save = $state(false);
  result = $state.raw<Rescored | null>(null);
  progress = $state.raw<Omit<RescoreProgress, 'result'> | null>(null);
  secondsLeft = $state<number | null>(null);
  /** The error of the work itself; errors of fields are shown at the fields. */
  failure = $state.raw<WhetstoneError | null>(null);
  busy = $derived(this.progress !== null);
  /** Errors that the form finds by itself. */
  faults: readonly FieldFault[] = $derived.by(() => faultsIn(this.fields, this));
  private fault = $state.raw<WhetstoneError | null>(null);
  private of = $state('');
  private readonly runId: string;
  private readonly spec: RunSpec;
  private readonly stock: Stock;
  private readonly port: Pick<WhetstoneClient['rewards'], 'rescore'> & Pick<WhetstoneClient['runs'], 'check'>;
  private readonly onSaved: () => void;
  private release: () => void = () => undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checks = 0;

  /** Starts with the run's own rewards. `onSaved` is called when answers have new values. */
  constructor(
    runId: string,
    spec: RunSpec,
    stock: Stock,
    port: RescoreState['port'],
    onSaved: () => void = () => undefined,
  ) {
    this.onSaved = onSaved;
    this.runId = runId;
    this.spec = spec;
    this.stock = stock;
    this.port = port;
    this.draft = new Draft({
      rewards: structuredClone(spec.rewards),
      ...(spec.composer && { composer: structuredClone(spec.composer) }),
    });
    const schemas = (stock.catalogue.spec.properties ?? {}) as Record<
      string,
      Record<string, unknown> | undefined
    >;
    const of = (key: string): Field | null => {
      const schema = schemas[key];
      return schema ? fieldOf(schema, [key], true, stock.catalogue.spec) : null;
    };
    const field = of('rewards');
    this.field = field && {
      ...field,
      label: 'Scorers',
      hint: 'The total is their weighted sum, or a composer’s.',
    };
    this.composerField = composerField(of('composer'));
  }

  error = (): WhetstoneError | null => this.fault;
  suggested = (): unknown => undefined;
  choices = (key: string, path: readonly string[]): readonly Choice[] | null =>
    choicesOf(this.stock, key, path, (at) => this.draft.get(at));
  registry = (path: readonly string[]): readonly Named[] =>
    path[0] === 'composer'
      ? this.stock.catalogue.composers
      : rewardsFor(this.stock.catalogue.rewards, this.spec.task, this.stock.datasets);

  private get fields(): readonly Field[] {
    return [this.field, this.composerField].filter((field) => field !== null);
  }

  /** All errors of fields, the check's included. */
  get problems(): readonly FieldFault[] {
    const checkFault =
      this.fault && this.field && this.faults.length === 0
        ? faultOfError(this.fault, this.fields, this)
        : null;
    return checkFault ? [checkFault] : this.faults;
  }
  get ready(): boolean {
    return this.rewards.length > 0 && this.problems.length === 0;
  }

  get rewards(): readonly unknown[] {
    return (this.draft.plain().rewards as readonly unknown[] | undefined) ?? [];
  }
  /** The composer in the form; null for the weighted sum. */
  get composer(): unknown {
    return this.draft.plain().composer ?? null;
  }
  /** True if the result was computed with other rewards than those in the form. */
  get isOld(): boolean {
    return this.result !== null && this.of !== JSON.stringify([this.rewards, this.composer]);
  }

  /** Called after each change; checks the fields after a pause. Outdated responses are dropped. */
  checkSoon(): void {
    const { rewards, composer } = this;
    const turn = ++this.checks;
    clearTimeout(this.timer);
    if (rewards.length === 0) {
      this.fault = null;
      return;
    }
    this.timer = setTimeout(
      () =>
        void this.port.check({ spec: { ...this.spec, rewards, composer } }).then(
          () => {
            if (turn === this.checks) this.fault = null;
          },
          (error: unknown) => {
            if (turn === this.checks) this.fault = WhetstoneError.from(error);
          },
        ),
      CHECK_AFTER_MS,
    );
  }

  start = (): void => {
    const { rewards, composer } = this;
    if (this.busy || !this.ready) return;
    const began = performance.now();
    const of = JSON.stringify([rewards, composer]);
    this.progress = { done: 0, total: 0 };
    this.failure = this.secondsLeft = null;
    this.release = this.port.rescore(
      { runId: this.runId, rewards: [...rewards], composer, save: this.save },
      ({ result, ...progress }) => {
        this.progress = progress;
        this.secondsLeft =
          progress.done > 0
            ? (((performance.now() - began) / 1000) * (progress.total - progress.done)) / progress.done
            : null;
        if (!result) return;
        [this.result, this.of] = [result, of];
        if (result.saved.length > 0) this.onSaved();
      },
      (error) => {
        this.progress = null;
        if (error !== undefined) [this.result, this.failure] = [null, WhetstoneError.from(error)];
      },
    );
  };

  /** Stops the work at once; the previous result stays. */
  stop = (): void => {
    this.release();
    this.release = () => undefined;
    this.progress = null;
  };
}
