import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { Paced } from '../../../lib/paced.ts';

type Facts = Awaited<ReturnType<WhetstoneClient['runs']['fork']>>;

/** The checkpoint that the form's run continues, and what it takes from it with the present settings. */
export class ForkState {
  facts = $state.raw<Facts | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  readonly checkpointId: string;
  private readonly port: Pick<WhetstoneClient['runs'], 'fork'>;
  private spec: unknown = null;
  private readonly reading = new Paced(() => this.read());

  constructor(port: Pick<WhetstoneClient['runs'], 'fork'>, checkpointId: string) {
    [this.port, this.checkpointId] = [port, checkpointId];
  }

  ask(spec: unknown): void {
    this.spec = spec;
    this.reading.ask();
  }

  /** State that the run takes, in words; empty until known. */
  get text(): string {
    const { facts } = this;
    if (!facts) return '';
    return facts.carries === 'state'
      ? `Continues from step ${facts.step}, with the optimizer’s state.`
      : `Starts from the weights of step ${facts.step} alone: ${facts.because.join(', ')}.`;
  }

  private async read(): Promise<void> {
    try {
      const facts = await this.port.fork({ checkpointId: this.checkpointId, spec: this.spec });
      [this.facts, this.error] = [facts, null];
    } catch (error) {
      [this.facts, this.error] = [null, WhetstoneError.from(error)];
    }
  }
}
