import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Chart, ChartExamination } from '../../../engine/schema/chart.ts';
import type { BehaviourStart } from '../../../preload/contract/behaviours.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { href } from '../../lib/router.svelte.ts';
import { copyWith } from '../../lib/run-copies.ts';
import { Task } from '../../lib/task.svelte.ts';
import { History } from './history.svelte.ts';
import { chartIn } from './read-chart.ts';

/** A check begins so long after the last edit. */
const CHECK_AFTER_MS = 400;
const TYPING = 'typing';

/** The editor of charts: a text and its history, what its last check found, and the step of a replay. */
export class BehaviourState {
  start = $state.raw<BehaviourStart | null>(null);
  world = $state('');
  /** Of the text as it was checked; null before the first check and after one that failed. */
  examined = $state.raw<ChartExamination | null>(null);
  /** True if text or world changed since. */
  isStale = $state(false);
  /** The state that is edited, by its name. */
  selected = $state<string | null>(null);
  replay = $state(0);
  step = $state(0);
  readonly task = new Task();
  readonly history = new History('');
  /** The chart of the text; null while the text is none. */
  readonly chart: Chart | null = $derived.by(() => chartIn(this.history.now));
  private readonly client: Pick<WhetstoneClient, 'behaviours'>;
  private readonly runId: string | null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private turn = 0;

  constructor(runId: string | null, client: Pick<WhetstoneClient, 'behaviours'>) {
    this.runId = runId;
    this.client = client;
  }

  get text(): string {
    return this.history.now;
  }
  get shown() {
    return this.examined?.replays[this.replay];
  }
  /** Short names of what a state can ask for. */
  get observations(): readonly string[] {
    const world = this.start?.worlds.find(({ id }) => id === this.world);
    return (world?.observations ?? []).map((name) => name.split(/ \(|,/)[0]);
  }
  /** The faults of a state, by the last check. */
  faultsOf = (state: string): readonly string[] =>
    (this.examined?.faults ?? []).filter((fault) => fault.state === state).map(({ message }) => message);

  /** `name`: the chart to begin with; without one, or if it is not there, the first. */
  async load(name?: string): Promise<void> {
    await this.task.run(async () => {
      this.start = await this.client.behaviours.open({ runId: this.runId });
      this.world = this.start.world;
    });
    const charts = this.start?.charts ?? [];
    const first = charts.find((chart) => chart.name === name) ?? charts.at(0);
    if (!first) return;
    this.history.reset(textOf(first));
    await this.open(first);
  }

  /** Opens a chart in place of the present one, which undo brings back. */
  async open(chart: Chart): Promise<void> {
    this.change(chart);
    this.selected = chart.order.at(0) ?? null;
    await this.check();
  }

  /** Sets the text as it is typed. */
  edit(text: string): void {
    this.history.set(text, TYPING);
    this.changed();
  }

  /** Changes the chart. `group`: edits of one group that follow one another are undone together. */
  change(edited: Chart, group: string | null = null): void {
    this.history.set(textOf(edited), group);
    this.changed();
  }

  undo(): void {
    this.history.undo();
    this.changed();
  }

  redo(): void {
    this.history.redo();
    this.changed();
  }

  choose(world: string): void {
    this.world = world;
    this.changed();
  }

  private changed(): void {
    this.isStale = true;
    const { chart } = this;
    if (chart && !chart.states.some(({ name }) => name === this.selected))
      this.selected = chart.order.at(0) ?? null;
    clearTimeout(this.timer);
    if (chart) this.timer = setTimeout(() => void this.check(), CHECK_AFTER_MS);
  }

  /** Drops a check that is still to begin. */
  close = (): void => clearTimeout(this.timer);

  /** Checks the text; an answer about an earlier text is dropped. */
  async check(): Promise<void> {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    await this.task.run(async () => {
      const { world, runId, text } = this;
      const title = this.shown?.title;
      try {
        const examined = await this.client.behaviours.check({ world, chart: parsed(text), runId });
        if (turn !== this.turn) return;
        this.examined = examined;
      } catch (error) {
        if (turn !== this.turn) return;
        this.examined = null;
        throw error;
      }
      this.isStale = this.text !== text || this.world !== world;
      // the same episode, whether or not actions were found that come before all episodes
      const kept = this.examined.replays.findIndex((each) => each.title === title);
      this.show(Math.max(0, kept));
    });
  }

  /** Shows a replay from its start. */
  show(replay: number): void {
    this.replay = replay;
    this.step = 0;
  }

  /**
   * The address of the launch form with a run that is rewarded by this chart; a run of the same world is
   * copied, and its other charts are measured.
   */
  get trainAddress(): string | null {
    const { chart, runId, world, start } = this;
    if (!chart) return null;
    if (runId === null || start?.world !== world)
      return href(['runs', 'new'], { world, chart: JSON.stringify(chart) });
    const others = start.charts.filter(({ name }) => name !== chart.name).slice(0, 7);
    const charts = [{ chart, weight: 1 }, ...others.map((each) => ({ chart: each, weight: 0 }))];
    return copyWith(runId, [{ path: ['task', 'charts'], value: charts }]);
  }
}

const textOf = (chart: Chart): string => JSON.stringify(chart, null, 2);

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
