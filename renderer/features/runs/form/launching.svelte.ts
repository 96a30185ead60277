import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { EstimateState } from './estimate.svelte.ts';
import { refuses } from './spec-check.svelte.ts';

/** A launch waits this long for its estimate; the run itself makes one before its first step. */
const WAITS_MS = 800;

type Spec = Readonly<Record<string, unknown>>;

/** Runs that were queued: the first one, how many of how many, and why the others were not. */
export interface Launched {
  readonly runId: string;
  readonly queued: number;
  readonly of: number;
  readonly error: WhetstoneError | null;
}

/** Launches the runs of a form, once. */
export class Launching {
  busy = $state(false);
  /** The error of the last launch; cleared by the next change. */
  refusal = $state.raw<WhetstoneError | null>(null);
  /** A question that the runs are to answer. */
  question = $state('');
  private isDone = false;
  private readonly port: Pick<WhetstoneClient['runs'], 'launch'>;
  private readonly estimate: EstimateState;
  private readonly launched: (launched: Launched) => void;

  constructor(
    port: Pick<WhetstoneClient['runs'], 'launch'>,
    estimate: EstimateState,
    launched: (launched: Launched) => void,
  ) {
    this.port = port;
    this.estimate = estimate;
    this.launched = launched;
  }

  /**
   * Launches the specifications if the first one fits into memory; otherwise its estimate suggests remedies.
   * `specsNow`: what the form holds, which must not change during the check. `anyway` skips the check.
   */
  async launch(specsNow: () => readonly Spec[], anyway: boolean): Promise<void> {
    if (this.busy || this.isDone) return;
    const specs = specsNow();
    this.busy = true;
    this.refusal = null;
    try {
      if (!anyway && !(await this.fits(specs[0]))) return;
      if (JSON.stringify(specsNow()) !== JSON.stringify(specs)) {
        throw new WhetstoneError('conflict', 'The form changed during the check, so nothing was started.', {
          hint: 'Launch again with the current values.',
        });
      }
      await this.queue(specs, anyway);
    } catch (error) {
      this.refusal = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }

  /** Queues the runs in their order; an error after the first one is reported with those that were queued. */
  private async queue(specs: readonly Spec[], anyway: boolean): Promise<void> {
    const runIds: string[] = [];
    let failure: WhetstoneError | null = null;
    for (const spec of specs) {
      const budget = { ...(spec.budget as object | undefined), overcommit: true };
      try {
        const { runId } = await this.port.launch({
          spec: anyway ? { ...spec, budget } : spec,
          ...(this.question.trim() !== '' && { question: this.question.trim() }),
        });
        runIds.push(runId);
      } catch (error) {
        if (runIds.length === 0) throw error;
        failure = WhetstoneError.from(error);
        break;
      }
    }
    this.isDone = true;
    this.estimate.stop();
    this.launched({ runId: runIds[0], queued: runIds.length, of: specs.length, error: failure });
  }

  /**
   * True if the run may start: not if its estimate refuses it. Where the estimate takes long or failed for
   * another reason, the run starts, and checks itself before its first step.
   */
  private async fits(spec: Spec): Promise<boolean> {
    if ((spec.budget as { overcommit?: unknown } | undefined)?.overcommit === true) return true;
    const { estimate } = this;
    const isKnown = estimate.value !== null && !estimate.isOld(spec);
    if (!isKnown && !(await within(WAITS_MS, estimate.ask(spec, false)))) return true;
    if (estimate.error !== null) return estimate.error.kind !== 'cancelled' && !refuses(estimate.error);
    return estimate.value?.fits !== false;
  }
}

/** True if a promise settles within some milliseconds. */
const within = (ms: number, settled: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    settled.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((done) => setTimeout(() => done(false), ms)),
  ]);
