import type { Model } from '../../../preload/contract/models.ts';
import type { Checkpoint, Run } from '../../../preload/contract/runs.ts';

/** One ancestor of a model; `address` is that of its view, or null if it was deleted. */
export interface Origin {
  readonly title: string;
  readonly note: string;
  readonly address: readonly string[] | null;
}

interface Stock {
  readonly checkpoints: readonly Checkpoint[];
  readonly models: readonly Model[];
  readonly runOf: (id: string) => Run | undefined;
}

/**
 * Ancestors of a checkpoint, nearest first: its run, the model that the run started from, and so on to random
 * weights or an added folder.
 */
export function originsOf(checkpointId: string, { checkpoints, models, runOf }: Stock): readonly Origin[] {
  const origins: Origin[] = [];
  const seen = new Set<string>();
  let at: string | null = checkpointId;
  while (at !== null && !seen.has(at)) {
    seen.add(at);
    const checkpoint: Checkpoint | undefined = checkpoints.find(({ id }) => id === at);
    if (at !== checkpointId) {
      origins.push(
        checkpoint
          ? {
              title: `${checkpoint.runName || checkpoint.method}, step ${checkpoint.step}`,
              note: 'checkpoint',
              address: ['models', at],
            }
          : { title: at.slice(0, 8), note: 'a checkpoint that was deleted', address: null },
      );
    }
    const run = checkpoint && runOf(checkpoint.runId);
    if (run)
      origins.push({ title: run.name || run.method, note: `run, ${run.method}`, address: ['runs', run.id] });
    const policy: NonNullable<Run['spec']>['models']['policy'] | undefined = run?.spec?.models.policy;
    at = policy?.kind === 'checkpoint' ? policy.checkpointId : null;
    if (policy?.kind === 'new')
      origins.push({ title: 'Random weights', note: `seed ${run?.spec?.seed ?? ''}`, address: null });
    if (policy?.kind === 'model') {
      const model = models.find(({ id }) => id === policy.modelId);
      origins.push({
        title: model?.name ?? policy.modelId.slice(0, 8),
        note: model ? 'added folder' : 'an added folder that was removed',
        address: model ? ['models', model.id] : null,
      });
    }
  }
  return origins;
}

/** The base model of an added adapter. */
export function baseOf({ adapter }: Model, models: readonly Model[]): readonly Origin[] {
  if (!adapter) return [];
  const base = models.find(({ folder, hash }) => folder === adapter.base && hash === adapter.baseHash);
  return [
    {
      title: base?.name ?? adapter.base,
      note: 'base model',
      address: base ? ['models', base.id] : null,
    },
  ];
}

/** Runs made from a model or a checkpoint. */
export const madeFrom = (id: string, runs: readonly Run[]): readonly Run[] =>
  runs.filter(({ lineage }) => lineage.models.includes(id) || lineage.checkpoints.includes(id));
