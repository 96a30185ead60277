import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { Preflight, PreflightProgress } from '../../../../engine/schema/preflight.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';

const phases: Readonly<Record<PreflightProgress['phase'], string>> = {
  opening: 'Opening the model',
  estimating: 'Estimating',
  seeking: 'Looking for what would fit',
  stepping: 'Taking two steps',
};

/** What the specification under edit would take; asked for, and old once the specification has changed. */
export class EstimateState {
  value = $state.raw<Preflight | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  progress = $state.raw<PreflightProgress | null>(null);
  busy = $derived(this.progress !== null);
  /** What is going on, for people. */
  doing = $derived(this.progress ? phases[this.progress.phase] : '');
  share = $derived(this.progress && this.progress.done > 0 ? this.progress.done / this.progress.total : null);
  private of = $state('');
  private letGo: () => void = () => undefined;
  private readonly port: Pick<WhetstoneClient['runs'], 'preflight'>;

  constructor(port: Pick<WhetstoneClient['runs'], 'preflight'>) {
    this.port = port;
  }

  /** Whether what is shown belongs to another specification than this one. */
  isOld = (spec: unknown): boolean => this.value !== null && this.of !== JSON.stringify(spec);

  /** Why there is no estimate of this specification (as JSON), where that was asked for and not stopped. */
  errorOf = (spec: string): WhetstoneError | null =>
    this.of === spec && this.error?.kind !== 'cancelled' ? this.error : null;

  /**
   * Resolves when the estimate is there, has failed (`error`), or was stopped; `dryRun`: with two steps taken
   * for real.
   */
  async ask(spec: unknown, dryRun = true): Promise<void> {
    this.stop();
    const { promise, resolve, reject } = Promise.withResolvers<Preflight | null>();
    let found: Preflight | null = null;
    this.progress = { phase: 'opening', done: 0, total: 1, result: null };
    const close = this.port.preflight(
      { spec, dryRun },
      (progress) => {
        found = progress.result ?? found;
        this.progress = progress;
      },
      (error) => (error === undefined ? resolve(found) : reject(WhetstoneError.from(error))),
    );
    const letGo = (): void => {
      close();
      reject(new WhetstoneError('cancelled', 'The estimate was stopped.'));
    };
    this.letGo = letGo;
    try {
      const value = await promise;
      [this.value, this.of, this.error] = [value, JSON.stringify(spec), null];
    } catch (error) {
      [this.value, this.of, this.error] = [null, JSON.stringify(spec), WhetstoneError.from(error)];
    } finally {
      // one that was overtaken leaves the place to the one after it
      if (this.letGo === letGo) [this.progress, this.letGo] = [null, () => undefined];
    }
  }

  /** Stops the work; whoever waits for it finds `cancelled`. */
  stop(): void {
    this.letGo();
  }
}
