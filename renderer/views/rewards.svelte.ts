import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import type { RewardInspection } from '../../preload/contract/rewards.ts';
import { ScorerState } from '../features/rewards/scorer.svelte.ts';
import { session } from '../lib/session.svelte.ts';

/** Reward-model runs, the chosen one's inspection, and a scorer on its newest checkpoint. */
export class RewardsState {
  methods = $state.raw<readonly string[]>([]);
  labelSets = $state.raw<readonly LabelSet[]>([]);
  inspection = $state.raw<RewardInspection | null>(null);
  scorer = $state.raw<ScorerState | null>(null);
  checkpoint = $state<string | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  loaded = $state(false);
  private asked = '';

  async load(): Promise<void> {
    await session.attempt(async () => {
      const [catalogue, sets] = await Promise.all([session.client.runs.catalogue({}), session.client.labels.sets({})]);
      this.methods = catalogue.methods.filter(({ produces }) => produces === 'reward').map(({ id }) => id);
      this.labelSets = [...sets].sort((a, b) => b.createdAt - a.createdAt);
    });
    this.loaded = true;
  }

  /** Reads the inspection once the run is done; again for another run, not for each of its changes. */
  async inspect(runId: string | null, state: string | null): Promise<void> {
    const key = `${runId}/${state === 'done'}`;
    if (key === this.asked) return;
    this.asked = key;
    this.inspection = null;
    this.error = null;
    this.checkpoint = null;
    this.scorer = runId ? new ScorerState(runId, session.client.rewards) : null;
    if (!runId || state !== 'done') return;
    try {
      const [inspection, checkpoints, { samples }] = await Promise.all([
        session.client.rewards.inspect({ runId }), session.client.runs.checkpoints({ runId }), this.example(runId),
      ]);
      if (this.asked !== key) return;
      this.inspection = inspection;
      this.checkpoint = [...checkpoints].sort((a, b) => b.createdAt - a.createdAt)[0]?.id ?? null;
      if (samples[0]) this.scorer?.edit(samples[0]);
    } catch (error) {
      if (this.asked === key) this.error = WhetstoneError.from(error);
    }
  }

  /** Something to edit: an answer of the labels that the model was trained on. */
  private async example(runId: string): Promise<{ samples: readonly { prompt: string; completion: string }[] }> {
    const run = session.runs.get(runId);
    const setId = run?.lineage.labelSets[0];
    if (!setId) return { samples: [] };
    const { pairs } = await session.client.labels.pairs({ setId, limit: 1 });
    return { samples: pairs.map(({ prompt, a }) => ({ prompt, completion: a })) };
  }
}
