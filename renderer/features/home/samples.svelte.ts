import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { router } from '../../lib/router.svelte.ts';
import { session } from '../../lib/session.svelte.ts';
import { Task } from '../../lib/task.svelte.ts';

/** A plan that ships and ends within about a minute: an example of a system. */
export interface Sample {
  /** Id of the plan that ships. */
  readonly preset: string;
  readonly title: string;
  readonly about: string;
}

/** Samples that can be run here, and the workspace in which all of them have run already. */
export class SampleState {
  samples = $state.raw<readonly Sample[]>([]);
  /** Folder of the finished samples; null if none ship with this build. */
  finished = $state.raw<string | null>(null);
  readonly task = new Task();
  private readonly client: Pick<WhetstoneClient, 'plans' | 'workspaces'>;

  constructor(client: Pick<WhetstoneClient, 'plans' | 'workspaces'> = session.client) {
    this.client = client;
  }

  async load(): Promise<void> {
    await this.task.run(async () => {
      const [presets, shipped] = await Promise.all([
        this.client.plans.presets({}),
        this.client.workspaces.samples({}),
      ]);
      this.samples = presets.flatMap(({ id, sample }) => (sample ? [{ preset: id, ...sample }] : []));
      this.finished = shipped?.path ?? null;
    });
  }

  /**
   * Makes a sample in the open workspace, or opens the one that is there already; a refusal shows a notice.
   */
  async open(preset: string): Promise<void> {
    await session.attempt(async () => {
      const { plans } = this.client;
      const found = (await plans.presets({})).find(({ id }) => id === preset);
      const { id } = await plans.launch({ plan: found?.plan });
      router.go(['runs', 'plans', id]);
      return id;
    });
  }

  /** Opens the workspace of the finished ones; the first time that copies them, which takes a moment. */
  async openFinished(): Promise<void> {
    await this.task.run(async () => {
      await session.enter(await this.client.workspaces.openSamples({}));
      router.go([]);
    });
  }
}
