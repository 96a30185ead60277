import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { specificationErrors } from '../../../../preload/wire/run-states.ts';
import type { EstimateState } from './estimate.svelte.ts';
import { isMisfit, type Remedy } from './remedy.ts';

const CHECK_AFTER_MS = 250;
const ESTIMATE_AFTER_MS = 500;

/** Errors of the specification itself, which a retry does not change. */
const refusals: readonly string[] = [...specificationErrors, 'conflict'];
export const refuses = (error: Pick<WhetstoneError, 'kind'> | null): boolean =>
  error !== null && refusals.includes(error.kind);

interface Form {
  /** Specifications of all runs of the form, the first one at the head. */
  readonly specs: () => readonly Record<string, unknown>[];
  /** The first one as the form offers it, before any choice of the user's; of a copy, the copied run. */
  readonly offered: () => Record<string, unknown>;
  /** True if the form knows by itself that it is invalid. */
  readonly isInvalid: () => boolean;
  /** A starting model that can read more of the data than the present one, if there is one. */
  readonly remedy: () => Promise<Remedy | null>;
}

/**
 * Checks the specifications of a form shortly after each change, and estimates the first of them once they
 * are valid. Results for an earlier state of the form are dropped.
 */
export class SpecCheck {
  /** The last valid specification, with its defaults filled in, and the text it was checked as. */
  valid = $state.raw<{ readonly of: string; readonly spec: RunSpec } | null>(null);
  fault = $state.raw<WhetstoneError | null>(null);
  /** The specification to compare with: the copied run, or the form's own offers. */
  origin = $state.raw<RunSpec | null>(null);
  /** A starting model that can read the data, if the present one cannot. */
  remedy = $state.raw<Remedy | null>(null);
  private readonly port: Pick<WhetstoneClient['runs'], 'check'>;
  private readonly estimate: EstimateState;
  private readonly form: Form;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private turn = 0;

  constructor(port: Pick<WhetstoneClient['runs'], 'check'>, estimate: EstimateState, form: Form) {
    this.port = port;
    this.estimate = estimate;
    this.form = form;
  }

  /** Reads the form at once, so that an effect that calls this runs again after a change of any field. */
  soon(): void {
    const turn = ++this.turn;
    const specs = this.form.specs();
    this.remedy = null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(specs, () => turn === this.turn), CHECK_AFTER_MS);
  }

  /** Drops what is still to be checked or estimated. */
  close(): void {
    this.turn++;
    clearTimeout(this.timer);
    this.estimate.stop();
  }

  private async check(specs: readonly Record<string, unknown>[], isCurrent: () => boolean): Promise<void> {
    try {
      const [first] = await Promise.all(specs.map((spec) => this.port.check({ spec })));
      const origin = await this.port.check({ spec: this.form.offered() }).catch(() => null);
      if (!isCurrent()) return;
      [this.valid, this.fault] = [{ of: JSON.stringify(specs[0]), spec: first }, null];
      this.origin = origin;
      if (!this.form.isInvalid())
        this.timer = setTimeout(() => void this.estimateFirst(specs[0], isCurrent), ESTIMATE_AFTER_MS);
    } catch (error) {
      if (!isCurrent()) return;
      [this.valid, this.fault] = [null, WhetstoneError.from(error)];
      await this.findRemedy(this.fault, isCurrent);
    }
  }

  private async estimateFirst(spec: Record<string, unknown>, isCurrent: () => boolean): Promise<void> {
    // the user may have asked for this one, with its time
    if (!this.estimate.isAsking(spec)) await this.estimate.ask(spec, false);
    if (!isCurrent()) return;
    const fault = this.estimate.errorOf(JSON.stringify(spec));
    if (fault) await this.findRemedy(fault, isCurrent);
    else if (this.estimate.tooLongOf(spec) > 0) await this.offerRemedy(isCurrent);
  }

  private async findRemedy(fault: WhetstoneError, isCurrent: () => boolean): Promise<void> {
    if (isMisfit(fault)) await this.offerRemedy(isCurrent);
  }

  private async offerRemedy(isCurrent: () => boolean): Promise<void> {
    const remedy = await this.form.remedy().catch(() => null);
    if (isCurrent()) this.remedy = remedy;
  }
}
