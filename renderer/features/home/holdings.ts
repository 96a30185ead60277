import type { Dataset } from '../../../preload/contract/datasets.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { LabelSet } from '../../../preload/contract/labels.ts';
import type { Checkpoint, Run } from '../../../preload/contract/runs.ts';
import { isLive } from '../../../preload/wire/run-states.ts';
import { judges, type Catalogue } from '../../lib/methods.ts';
import { allOf } from '../../lib/pages.ts';

/** What the open workspace holds; every list has its newest entry first. */
export interface Holdings {
  readonly datasets: readonly Dataset[];
  readonly labelSets: readonly LabelSet[];
  /** Checkpoints and added models that generate text. */
  readonly policies: readonly Checkpoint[];
  readonly addedModels: number;
  /** Checkpoints that score or judge answers. */
  readonly judges: readonly Checkpoint[];
  /** Runs that have ended, with their outcomes. */
  readonly ended: readonly Run[];
  /** Ended runs that trained a policy further. */
  readonly improved: readonly Run[];
}

const newest = <T extends { readonly createdAt: number }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => b.createdAt - a.createdAt);

/** True if a run trained a policy that existed before it. */
const improves = ({ methods }: Catalogue, { method, spec, state }: Run): boolean =>
  state === 'done' &&
  methods.some(({ id, produces }) => id === method && produces === 'policy') &&
  spec?.models.policy.kind !== 'new';

/** Reads what the workspace holds. `runs`: those that are not archived, newest first. */
export async function readHoldings(client: WhetstoneClient, runs: readonly Run[]): Promise<Holdings> {
  const ended = runs.filter((run) => !isLive(run));
  const [catalogue, checkpoints, models, datasets, labelSets] = await Promise.all([
    client.runs.catalogue({}),
    allOf((page) => client.runs.checkpoints(page)),
    allOf((page) => client.models.list(page)),
    allOf((page) => client.datasets.list(page)),
    allOf((page) => client.labels.sets(page)),
  ]);
  const isJudge = (checkpoint: Checkpoint) => judges(catalogue, checkpoint);
  return {
    datasets: newest(datasets),
    labelSets: newest(labelSets),
    policies: newest(checkpoints.filter((each) => !isJudge(each))),
    addedModels: models.length,
    judges: newest(checkpoints.filter(isJudge)),
    ended,
    improved: ended.filter((run) => improves(catalogue, run)),
  };
}
