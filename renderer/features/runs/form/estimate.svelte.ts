import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { Preflight, PreflightProgress } from '../../../../engine/schema/preflight.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';

const phases: Readonly<Record<PreflightProgress['phase'], string>> = {
  opening: 'Opening the model',
  estimating: 'Estimating',
  seeking: 'Searching for settings that fit',
  stepping: 'Taking two steps',
};

/**
 * The estimate for the specification under edit, computed on request; outdated once the specification
 * changes.
 */
export class EstimateState {
  value = $state.raw<Preflight | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  progress = $state.raw<PreflightProgress | null>(null);
  busy = $derived(this.progress !== null);
  /** The current phase, for display. */
  doing = $derived(this.progress ? phases[this.progress.phase] : '');
  share = $derived(this.progress && this.progress.done > 0 ? this.progress.done / this.progress.total : null);
  private of = $state('');
  /** The specification whose estimate is running. */
  private asked = '';
  private release: () => void = () => undefined;
  private readonly port: Pick<WhetstoneClient['runs'], 'preflight'>;

  constructor(port: Pick<WhetstoneClient['runs'], 'preflight'>) {
    this.port = port;
  }

  /** True if the estimate belongs to another specification. */
  isOld = (spec: unknown): boolean => this.value !== null && this.of !== JSON.stringify(spec);

  /** True if an estimate of this specification is running. */
  isAsking = (spec: unknown): boolean => this.busy && this.asked === JSON.stringify(spec);

  /** Rows that a run of this specification would leave out; 0 until its estimate is known. */
  tooLongOf = (spec: unknown): number => (this.isOld(spec) ? 0 : (this.value?.tooLong ?? 0));

  /** The error of the estimate for this specification (as JSON), unless it was stopped. */
  errorOf = (spec: string): WhetstoneError | null =>
    this.of === spec && this.error?.kind !== 'cancelled' ? this.error : null;

  /**
   * Resolves when the estimate has finished, failed (`error`), or was stopped; `dryRun` includes two real
   * steps.
   */
  async ask(spec: unknown, dryRun = true): Promise<void> {
    this.stop();
    const { promise, resolve, reject } = Promise.withResolvers<Preflight | null>();
    let found: Preflight | null = null;
    this.asked = JSON.stringify(spec);
    this.progress = { phase: 'opening', done: 0, total: 1, result: null };
    const close = this.port.preflight(
      { spec, dryRun },
      (progress) => {
        found = progress.result ?? found;
        this.progress = progress;
      },
      (error) => (error === undefined ? resolve(found) : reject(WhetstoneError.from(error))),
    );
    const release = (): void => {
      close();
      reject(new WhetstoneError('cancelled', 'The estimate was stopped.'));
    };
    this.release = release;
    try {
      const value = await promise;
      [this.value, this.of, this.error] = [value, JSON.stringify(spec), null];
    } catch (error) {
      [this.value, this.of, this.error] = [null, JSON.stringify(spec), WhetstoneError.from(error)];
    } finally {
      // a newer estimate may already be running
      if (this.release === release) [this.progress, this.release] = [null, () => undefined];
    }
  }

  /** Stops the estimate; its caller gets `cancelled`. */
  stop(): void {
    this.release();
  }
}
