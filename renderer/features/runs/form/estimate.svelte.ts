import { WhetstoneError } from '../../../../engine/schema/errors.ts';
import type { Preflight } from '../../../../engine/schema/preflight.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';

/** What the specification under edit would take; asked for, and old once the specification has changed. */
export class EstimateState {
  value = $state.raw<Preflight | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  private of = $state('');
  private readonly port: Pick<WhetstoneClient['runs'], 'preflight'>;

  constructor(port: Pick<WhetstoneClient['runs'], 'preflight'>) { this.port = port; }

  /** Whether what is shown belongs to another specification than this one. */
  isOld = (spec: unknown): boolean => this.value !== null && this.of !== JSON.stringify(spec);

  async ask(spec: unknown): Promise<void> {
    this.busy = true;
    try {
      this.value = await this.port.preflight({ spec });
      [this.of, this.error] = [JSON.stringify(spec), null];
    } catch (error) {
      [this.value, this.error] = [null, WhetstoneError.from(error)];
    } finally {
      this.busy = false;
    }
  }
}
