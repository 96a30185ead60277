import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Chart, ChartExamination } from '../../../engine/schema/chart.ts';
import type { BehaviourStart } from '../../../preload/contract/behaviours.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { Task } from '../../lib/task.svelte.ts';

/** The editor of charts: a text, what the last check of it found, and the step of a replay. */
export class BehaviourState {
  start = $state.raw<BehaviourStart | null>(null);
  world = $state('');
  text = $state('');
  /** Of the text as it was checked; null before the first check and after one that failed. */
  examined = $state.raw<ChartExamination | null>(null);
  /** True if text or world changed since. */
  isStale = $state(false);
  replay = $state(0);
  step = $state(0);
  readonly task = new Task();
  private readonly client: Pick<WhetstoneClient, 'behaviours'>;
  private readonly runId: string | null;

  constructor(runId: string | null, client: Pick<WhetstoneClient, 'behaviours'>) {
    this.runId = runId;
    this.client = client;
  }

  get shown() {
    return this.examined?.replays[this.replay];
  }

  async load(): Promise<void> {
    await this.task.run(async () => {
      this.start = await this.client.behaviours.open({ runId: this.runId });
      this.world = this.start.world;
    });
    const first = this.start?.charts.at(0);
    if (first) await this.open(first);
  }

  async open(chart: Chart): Promise<void> {
    this.edit(JSON.stringify(chart, null, 2));
    await this.check();
  }

  edit(text: string): void {
    this.text = text;
    this.isStale = true;
  }

  choose(world: string): void {
    this.world = world;
    this.isStale = true;
  }

  async check(): Promise<void> {
    await this.task.run(async () => {
      this.examined = null;
      const { world, runId, text } = this;
      this.examined = await this.client.behaviours.check({ world, chart: parsed(text), runId });
      this.isStale = this.text !== text || this.world !== world;
      this.show(0);
    });
  }

  /** Shows a replay from its start. */
  show(replay: number): void {
    this.replay = replay;
    this.step = 0;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WhetstoneError('invalid-input', 'The chart is no JSON.', {
      where: 'chart',
      hint: error instanceof Error ? error.message : 'Check its brackets and commas.',
    });
  }
}
