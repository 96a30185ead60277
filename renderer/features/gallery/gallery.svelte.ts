import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Gallery } from '../../../preload/contract/gallery.ts';
import type { Plan } from '../../../preload/contract/plans.ts';
import type { Run } from '../../../preload/contract/runs.ts';

/** A probe with its findings: a run by itself, or a node of a plan. */
export interface Probe {
  /** The node of a plan, or the name of a run. */
  readonly node: string;
  readonly run: Run;
  readonly found: Gallery;
}

export const PAGE = 20;

/** The probes of a plan, or one run; and the failures of one of them that are looked through. */
export class GalleryState {
  /** True once the probes were read. */
  isRead = $state(false);
  probes = $state.raw<readonly Probe[]>([]);
  /** Run whose failures are shown; that of the probe with most failures without a choice. */
  chosen = $state<string | null>(null);
  /** Only failures with this kind of change. */
  theme = $state<string | null>(null);
  offset = $state(0);
  page = $state.raw<Pick<Gallery, 'failed' | 'failures'> | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly client: Pick<WhetstoneClient, 'gallery'>;

  constructor(client: Pick<WhetstoneClient, 'gallery'>) {
    this.client = client;
  }

  get shown(): Probe | null {
    const worst = this.probes.toSorted((a, b) => b.found.failed - a.found.failed).at(0) ?? null;
    return this.probes.find(({ run }) => run.id === this.chosen) ?? worst;
  }

  /** Reads the probes of a plan that have begun. */
  async read({ nodes }: Pick<Plan, 'nodes'>, runs: ReadonlyMap<string, Run>): Promise<void> {
    await this.readAll(
      nodes.flatMap(({ id: node, runId }) => {
        const run = runId === null ? undefined : runs.get(runId);
        return run?.method === 'ert' ? [{ node, run }] : [];
      }),
    );
  }

  /** Reads one probe, by itself. */
  readRun = (run: Run): Promise<void> => this.readAll([{ node: run.name || run.method, run }]);

  private async readAll(begun: readonly Pick<Probe, 'node' | 'run'>[]): Promise<void> {
    try {
      const found = await Promise.all(
        begun.map(async (each) => ({ ...each, found: await this.client.gallery.of({ runId: each.run.id }) })),
      );
      this.probes = found.filter((each) => each.found.answers > 0);
      this.isRead = true;
      await this.turn();
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  async choose(change: { readonly run?: string; readonly theme?: string | null }): Promise<void> {
    if (change.run !== undefined) this.chosen = change.run;
    if (change.theme !== undefined) this.theme = change.theme;
    this.offset = 0;
    await this.turn();
  }

  async turn(by = 0): Promise<void> {
    const { shown, theme } = this;
    if (!shown) return;
    this.offset = Math.max(0, this.offset + by * PAGE);
    const { offset } = this;
    try {
      this.page = await this.client.gallery.of({ runId: shown.run.id, theme, offset, limit: PAGE });
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
