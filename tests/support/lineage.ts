import { evaluatePolicy } from '../../engine/index.ts';
import type { RunInput } from '../../main/store/runs.ts';
import { join } from 'node:path';
import type { OpenFolder } from '../../main/store/folder.ts';
import { teller } from './tell.ts';
import { trajectory } from './trajectory.ts';
import { datasetForTest, parsedSpec } from './workspace.ts';

/** Ids of a small loop: data, its saved version, labels, a reward model, a policy, and answers of it. */
export interface Loop {
  readonly dataset: string;
  readonly labels: string;
  readonly judgeRun: string;
  readonly judge: string;
  readonly policyRun: string;
  readonly policy: string;
  readonly answers: string;
}

/** A finished run with one checkpoint; `evaluated`: with an evaluation at its step. */
async function finished(
  { folder, store }: OpenFolder,
  name: string,
  inputs: readonly RunInput[],
  { head, evaluated, more = 0 }: { head: 'reward' | 'next-token'; evaluated: boolean; more?: number },
): Promise<{ run: string; checkpoint: string }> {
  const { id } = await store.runs.create(parsedSpec({ name }), inputs);
  await store.runs.beginAttempt(id, null);
  const tell = teller(store, id, 1);
  const path = join(folder, 'checkpoints', id, '20');
  for (let step = 1; step <= more; step += 1)
    await tell(step, { type: 'result', kind: 'evaluation', value: evaluation(step) });
  await tell(20, {
    type: 'trajectories',
    rows: [{ ...trajectory({ id: `t-${id}` }), step: 20, purpose: 'evaluation' }],
  });
  await tell(20, {
    type: 'checkpoint',
    checkpoint: { path, hash: 'c0ffee', bytes: 5, parameters: 7, head, final: true },
  });
  if (evaluated) await tell(20, { type: 'result', kind: 'evaluation', value: evaluation(20) });
  await tell(20, { type: 'finished', outcome: 'done' });
  const [{ id: checkpoint }] = await store.checkpoints.list(id);
  return { run: id, checkpoint };
}

const evaluation = (step: number) =>
  evaluatePolicy({
    step,
    problems: [0, 1, 2, 3].map((problem) => ({
      promptId: `p${problem}`,
      greedyCorrect: problem > 0,
      answers: [{ correct: problem > 0, gold: 1, proxy: null, tokens: 2, truncated: false, logRatio: null }],
    })),
  });

/** `more`: evaluations of the policy at its first steps, without a checkpoint. */
export async function plantLoop(open: OpenFolder, more = 0): Promise<Loop> {
  const { store } = open;
  const dataset = await datasetForTest(store);
  await store.curation.mark(dataset, { event: 'exclude', value: null }, [0], { author: 'me', query: null });
  const content = await store.versions.content(dataset, null);
  await store.versions.save(dataset, 'clean', content, 'me');
  const { id: labels } = await store.labelSets.create({
    name: 'which is better',
    from: { kind: 'dataset', datasetId: dataset },
    seed: 1,
    pairsPerPrompt: 1,
    onlyDiffering: false,
  });
  const input = (kind: RunInput['kind'], ref: string, more: Partial<RunInput> = {}): RunInput => ({
    kind,
    ref,
    hash: 'x',
    artifact: null,
    ...more,
  });
  const judge = await finished(open, 'judge', [input('label-set', labels)], {
    head: 'reward',
    evaluated: false,
  });
  const data = { datasetId: dataset, name: 'answers', version: 'clean', ...content };
  const policy = await finished(
    open,
    'policy',
    [input('dataset', dataset, { data }), input('checkpoint', judge.checkpoint)],
    { head: 'next-token', evaluated: true, more },
  );
  const answers = await store.datasets.stage({ name: 'answers of the policy', source: `run ${policy.run}` });
  await store.datasets.append(answers, [], []);
  const { doctor } = await store.datasets.get(dataset);
  await store.datasets.finish(answers, { hash: 'x', doctor });
  return {
    dataset,
    labels,
    judgeRun: judge.run,
    judge: judge.checkpoint,
    policyRun: policy.run,
    policy: policy.checkpoint,
    answers,
  };
}
