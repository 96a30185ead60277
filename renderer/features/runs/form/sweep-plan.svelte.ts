import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { ExperimentPlan } from '../../../../preload/contract/experiments.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { NumberEntry, seedBounds } from '../../../lib/number-entry.svelte.ts';
import { Paced } from '../../../lib/paced.ts';
import type { LaunchState } from './launch.svelte.ts';
import { axisFrom } from './sweep-axis.ts';

export type StrategyKind = 'grid' | 'random' | 'successive-halving';

/** A sweep over settings of the launch form, launched as one experiment. */
export class SweepPlan {
  isOn = $state(false);
  axes = $state([{ path: 'optimizer.learningRate', text: '' }]);
  strategy = $state<StrategyKind>('grid');
  readonly trials = new NumberEntry(9, { integer: true, low: 2, high: 512 });
  readonly eta = new NumberEntry(3, { integer: true, low: 2, high: 10 });
  readonly least = new NumberEntry(1, { integer: true, low: 1, high: 1_000_000 });
  readonly draw = new NumberEntry(0, seedBounds);
  /** Empty: the usual objective of what the method trains. */
  metric = $state('');
  direction = $state<'maximize' | 'minimize'>('maximize');
  plan = $state.raw<ExperimentPlan | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  private readonly port: Pick<WhetstoneClient['experiments'], 'plan' | 'launch'>;
  private readonly form: LaunchState;
  private readonly launched: (id: string) => void;
  private readonly planning = new Paced(() => this.ask());

  constructor(
    port: Pick<WhetstoneClient['experiments'], 'plan' | 'launch'>,
    form: LaunchState,
    launched: (id: string) => void,
  ) {
    [this.port, this.form, this.launched] = [port, form, launched];
  }

  /** The experiment as it is sent. Lists in fields of the form are axes as well. */
  get spec(): Record<string, unknown> {
    const { form } = this;
    const typed = this.axes.flatMap((axis) => axisFrom(axis) ?? []);
    const listed = form.sweep.listed.map(({ path, values }) => ({
      path: path.join('.'),
      values: [...values],
    }));
    const { name, ...base } = form.first;
    const metric = this.metric.trim();
    return {
      ...(typeof name === 'string' && name !== '' && { name: name.slice(0, 120) }),
      base,
      axes: [...listed, ...typed],
      strategy: this.chosenStrategy,
      seeds: form.sweep.seeds.value ?? 1,
      ...(metric !== '' && { objective: { metric, direction: this.direction } }),
    };
  }

  private get chosenStrategy(): Record<string, unknown> {
    const { strategy: kind } = this;
    if (kind === 'grid') return { kind };
    const drawn = { kind, trials: this.trials.value ?? 0, seed: this.draw.value ?? 0 };
    if (kind === 'random') return drawn;
    return { ...drawn, eta: this.eta.value ?? 0, leastSteps: this.least.value ?? 0 };
  }

  /** Plans the sweep shortly after each change. */
  planSoon(): void {
    void JSON.stringify(this.spec);
    if (this.isOn) this.planning.ask();
  }

  add(): void {
    this.axes.push({ path: '', text: '' });
  }

  remove(at: number): void {
    this.axes.splice(at, 1);
  }

  /** Launches the experiment once. */
  async launch(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      const { id } = await this.port.launch({ spec: this.spec });
      this.launched(id);
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }

  private async ask(): Promise<void> {
    try {
      const plan = await this.port.plan({ spec: this.spec });
      [this.plan, this.error] = [plan, null];
    } catch (error) {
      [this.plan, this.error] = [null, WhetstoneError.from(error)];
    }
  }
}
