import { untrack } from 'svelte';
import type { WorldFacts } from '../../engine/schema/atlas.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { Model, ModelDescription } from '../../preload/contract/models.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import { ExportState } from '../features/models/export.svelte.ts';
import { TryState, type OwnWorld } from '../features/models/try.svelte.ts';
import { ScorerState } from '../features/rewards/scorer.svelte.ts';
import { evolvingCheckpoint, evolvingModel, type Evolving } from '../lib/evolve.ts';
import { actsInControl, judges, type Method } from '../lib/methods.ts';
import { allOf } from '../lib/pages.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { Task } from '../lib/task.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

export type ChosenModel =
  | { readonly kind: 'model'; readonly id: string; readonly model: Model }
  | { readonly kind: 'checkpoint'; readonly id: string; readonly checkpoint: Checkpoint };

/** State of the models view: added folders, checkpoints of runs, and the chosen one's description. */
export class ModelsState {
  models = $state.raw<readonly Model[]>([]);
  checkpoints = $state.raw<readonly Checkpoint[]>([]);
  worlds = $state.raw<readonly WorldFacts[]>([]);
  private datasets = $state.raw<readonly Dataset[]>([]);
  private methods = $state.raw<readonly Method[]>([]);
  loaded = $state(false);
  description = $state.raw<ModelDescription | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  attempt = $state.raw<TryState | null>(null);
  scorer = $state.raw<ScorerState | null>(null);
  export = $state.raw<ExportState | null>(null);
  readonly adding = new Task();
  private described: string | null = null;
  private tried: string | undefined;

  async load(): Promise<void> {
    await session.attempt(async () => {
      const { client } = session;
      // worlds and methods never change, so they are requested once
      const known = this.methods.length > 0;
      const [models, checkpoints, datasets, catalogue, atlas] = await Promise.all([
        allOf((page) => client.models.list(page)),
        allOf((page) => client.runs.checkpoints(page)),
        allOf((page) => client.datasets.list(page)),
        known ? null : client.runs.catalogue({}),
        known ? null : client.methods.atlas({}),
      ]);
      if (catalogue && atlas) [this.methods, this.worlds] = [catalogue.methods, atlas.worlds];
      [this.models, this.checkpoints, this.datasets] = [models, checkpoints, datasets];
      this.loaded = true;
    });
  }

  find(id: string | null): ChosenModel | null {
    const model = this.models.find((each) => each.id === id);
    const checkpoint = this.checkpoints.find((each) => each.id === id);
    return model
      ? { kind: 'model', id: model.id, model }
      : checkpoint
        ? { kind: 'checkpoint', id: checkpoint.id, checkpoint }
        : null;
  }

  /** True if a checkpoint scores answers, with a head or in words. */
  isJudge = (checkpoint: Checkpoint): boolean => judges({ methods: [...this.methods] }, checkpoint);

  /** True if it answers prompts in words, so that a probe can look for ways of asking at which it fails. */
  answers(chosen: ChosenModel): boolean {
    if (chosen.kind === 'model') return chosen.model.head === 'next-token';
    const { checkpoint } = chosen;
    const isNetwork = actsInControl({ methods: [...this.methods] }, checkpoint.method);
    return !isNetwork && !this.isJudge(checkpoint);
  }

  /** Where a policy evolves, or why it cannot; null for what writes no answers. */
  evolving(chosen: ChosenModel): Evolving | null {
    if (!this.answers(chosen)) return null;
    if (chosen.kind === 'model') return evolvingModel(chosen.id);
    const { checkpoints, datasets } = this;
    const specOfRun = (runId: string) => session.runs.get(runId)?.spec;
    return evolvingCheckpoint(chosen.id, { checkpoints, datasets, specOfRun });
  }

  /** The world that a checkpoint’s run learned from. */
  private ownWorld(chosen: ChosenModel): OwnWorld | null {
    const task =
      chosen.kind === 'checkpoint' ? session.runs.get(chosen.checkpoint.runId)?.spec?.task : undefined;
    return task?.kind === 'world' ? { id: task.id, params: task.params } : null;
  }

  /**
   * Creates the chosen model's states for trying, scoring and export; cancels the previous model's answer.
   */
  tryOut(chosen: ChosenModel | null): void {
    if (chosen?.id === this.tried) return;
    this.tried = chosen?.id;
    this.leave();
    const from = chosen && { kind: chosen.kind, id: chosen.id };
    this.attempt =
      from &&
      new TryState(
        from,
        { try: session.client.models.try, worldSample: session.client.methods.worldSample },
        untrack(() => this.ownWorld(chosen)),
        untrack(() => this.worlds),
      );
    this.scorer = from && new ScorerState(from, session.client.rewards);
    this.export =
      from && new ExportState(from, () => this.description?.adapter != null, session.client.models);
  }

  /** Cancels the pending answer. */
  leave(): void {
    untrack(() => this.attempt)?.cancel();
  }

  /**
   * Loads a description: stored for an added folder, read from the files of a checkpoint. Outdated responses
   * are dropped.
   */
  async describe(chosen: ChosenModel | null): Promise<void> {
    const id = chosen?.id ?? null;
    if (id === this.described && chosen?.kind !== 'model') return;
    this.described = id;
    this.error = null;
    this.description = chosen?.kind === 'model' ? chosen.model : null;
    if (chosen?.kind !== 'checkpoint') return;
    try {
      const description = await session.client.models.describeCheckpoint({ checkpointId: chosen.id });
      if (this.described === id) this.description = description;
    } catch (error) {
      if (this.described === id) this.error = WhetstoneError.from(error);
    }
  }

  /** Adds a folder; returns whether that worked. The error is shown next to its field. */
  async add(path: string, name: string): Promise<boolean> {
    await this.adding.run(async () => {
      const model = await session.client.models.add({ path, name });
      await this.load();
      router.go(['models', model.id]);
    });
    return this.adding.error === null;
  }

  async rename(model: Model, name: string): Promise<void> {
    const done = await session.attempt(() => session.client.models.rename({ id: model.id, name }));
    if (done)
      toasts.info(`Renamed to “${name}”.`, {
        label: 'Undo',
        run: () => void this.rename({ ...model, name }, model.name),
      });
    await this.load();
  }

  /** Exempts a checkpoint from its run's deletion rule, or subjects it to the rule again. */
  async keep({ id }: Checkpoint, kept: boolean): Promise<void> {
    if (await session.attempt(() => session.client.runs.keepCheckpoint({ id, kept }))) await this.load();
  }

  async remove(chosen: ChosenModel): Promise<void> {
    const done = await session.attempt(() =>
      chosen.kind === 'model'
        ? session.client.models.remove({ id: chosen.id })
        : session.client.runs.removeCheckpoint({ id: chosen.id }),
    );
    if (!done) return;
    toasts.info(
      chosen.kind === 'model'
        ? `Removed “${chosen.model.name}”; its folder stays.`
        : `Deleted the checkpoint of step ${chosen.checkpoint.step}.`,
    );
    router.go(['models']);
    await this.load();
  }

  /** Explains why a checkpoint is still there, and when it will be deleted. */
  keptBecause({ runId, final, kept }: Checkpoint): string {
    if (kept) return 'because you chose Keep';
    if (final) return 'always, as the last of a finished run';
    const keep = session.runs.get(runId)?.spec?.checkpoints.keep;
    return keep === undefined
      ? 'until its run saves newer ones'
      : `while it is among the newest ${keep} of its run, or a run was made from it`;
  }
}
