import { WhetstoneError } from '../../engine/common/errors.ts';
import { marked } from '../../engine/common/transcript.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import type { RewardInspection } from '../../engine/schema/evaluation.ts';
import { ScorerState } from '../features/rewards/scorer.svelte.ts';
import { allOf } from '../lib/pages.ts';
import { session } from '../lib/session.svelte.ts';

/**
 * State of the rewards view: reward-model runs, the chosen one's inspection, and a scorer on its newest
 * checkpoint.
 */
export class RewardsState {
  methods = $state.raw<readonly string[]>([]);
  labelSets = $state.raw<readonly LabelSet[]>([]);
  inspection = $state.raw<RewardInspection | null>(null);
  /** For a reward model trained on single answers: its newest metrics on held-out answers, by name. */
  measures = $state.raw<readonly { readonly name: string; readonly value: number }[] | null>(null);
  scorer = $state.raw<ScorerState | null>(null);
  checkpoint = $state<string | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  loaded = $state(false);
  private requested = '';

  async load(): Promise<void> {
    await session.attempt(async () => {
      const [catalogue, sets] = await Promise.all([
        session.client.runs.catalogue({}),
        allOf((page) => session.client.labels.sets(page)),
      ]);
      this.methods = catalogue.methods.filter(({ produces }) => produces === 'reward').map(({ id }) => id);
      this.labelSets = [...sets].sort((a, b) => b.createdAt - a.createdAt);
      this.loaded = true;
    });
  }

  /**
   * Loads the inspection once the run has finished; again for another run, but not for every change of the
   * same one.
   */
  async inspect(runId: string | null, state: string | null): Promise<void> {
    const key = `${runId}/${state === 'done'}`;
    if (key === this.requested) return;
    this.requested = key;
    this.inspection = this.measures = null;
    this.error = null;
    this.checkpoint = null;
    this.scorer = runId ? new ScorerState({ kind: 'run', id: runId }, session.client.rewards) : null;
    if (!runId || state !== 'done') return;
    try {
      const [results, checkpoints, example] = await Promise.all([
        session.client.runs.results({ id: runId }),
        session.client.runs.checkpoints({ runId }),
        this.example(runId),
      ]);
      // a reward model trained on single answers may have no pairs to inspect
      const isInspected = results.some(({ kind }) => kind === 'reward-inspection');
      const inspection = isInspected ? await session.client.rewards.inspect({ runId }) : null;
      const measures = isInspected ? null : await this.measured(runId);
      if (this.requested !== key) return;
      [this.inspection, this.measures] = [inspection, measures];
      this.checkpoint = [...checkpoints].sort((a, b) => b.createdAt - a.createdAt)[0]?.id ?? null;
      if (example) this.scorer?.edit(example);
    } catch (error) {
      if (this.requested === key) this.error = WhetstoneError.from(error);
    }
  }

  private async measured(runId: string): Promise<{ name: string; value: number }[]> {
    const { runs } = session.client;
    const names = (await runs.metricNames({ runIds: [runId] }))
      .filter((name) => name.startsWith('eval/'))
      .slice(0, 64);
    const series = names.length > 0 ? await runs.metrics({ runIds: [runId], names }) : [];
    return series.flatMap(({ name, values }) => {
      const value = values.at(-1);
      return value === undefined ? [] : [{ name: name.slice('eval/'.length), value }];
    });
  }

  /** An example to edit: a labeled answer from the model's training data, or a demonstration of its world. */
  private async example(runId: string): Promise<{ prompt: string; completion: string } | null> {
    const run = session.runs.get(runId);
    const setId = run?.lineage.labelSets[0];
    const task = run?.spec?.task;
    if (setId) {
      const [pair] = (await session.client.labels.pairs({ setId, limit: 1 })).pairs;
      return pair ? { prompt: pair.prompt, completion: pair.a } : null;
    }
    if (task?.kind !== 'world') return null;
    const [shown] = (
      await session.client.methods.worldSample({ world: { id: task.id, params: task.params } })
    ).demonstrations;
    return shown
      ? {
          prompt: shown.prompt,
          completion: shown.transcript.map(({ by, text }) => (by === 'world' ? marked(text) : text)).join(''),
        }
      : null;
  }
}
