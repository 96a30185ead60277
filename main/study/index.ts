import { basename, join } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { importWithLog } from '../import/import-with-log.ts';
import { finishedOf, resultOf, runWhole, type Log, type PlanBench } from '../plans/whole.ts';
import { renderReport } from '../report/index.ts';
import { leftOutOf } from '../use-cases/left-out.ts';
import { writeWhole } from '../store/files.ts';
import { lossCurves } from './losses.ts';
import { studyPlan } from './plan.ts';
import { datasetFacts, pairResult, type StudyResult } from './result.ts';
import { studySections } from './sections.ts';

/**
 * Runs a study: import → policy on right solutions → reward model and DPO on right/wrong pairs → one report
 * with n and intervals.
 */
export async function runStudy(
  bench: PlanBench,
  {
    file,
    folder,
    seed,
    keepGoodLines,
    log,
  }: { file: string; folder: string; seed: number; keepGoodLines: boolean; log: Log },
): Promise<StudyResult> {
  const start = performance.now();
  const dataset = await importWithLog(bench, { path: file, keepGoodLines }, log);
  const { doctor } = dataset;
  requirePairs(dataset, file);
  const { correct, pairs } = doctor;
  const plan = await runWhole(bench, studyPlan({ id: dataset.id, correct, pairs }, seed), { log });
  const [policy, reward, dpo] = await Promise.all(
    ['policy', 'reward-model', 'dpo'].map((id) => finishedOf(bench, plan, id)),
  );
  const inspection = await resultOf(bench, reward.run, 'reward-inspection');
  const implicit = await resultOf(bench, dpo.run, 'preference-evaluation');
  const results = [
    pairResult('reward model (frozen features)', inspection),
    pairResult('DPO (implicit reward)', implicit),
  ];
  const losses = await lossCurves(bench, policy.run.id);
  const heldoutLoss = losses.heldout.at(-1)?.[1] ?? null;
  const leftOut = await Promise.all(
    [policy, reward, dpo].map(async ({ run }) => ({ run: run.name, ...(await leftOutOf(bench, run.id)) })),
  );
  const seconds = (performance.now() - start) / 1000;
  const sections = studySections({
    dataset,
    results,
    leftOut,
    losses,
    parameters: policy.run.parameters,
    runs: [policy, reward, dpo].map(({ run }) => run),
  });
  const report = join(folder, `study-${basename(file).replace(/\.[^.]*$/, '')}-seed-${seed}.html`);
  await writeWhole(report, [
    renderReport({
      title: `Study of ${basename(file)}`,
      subtitle: `${Math.round(seconds)} s, seed ${seed}`,
      createdAt: Date.now(),
      sections,
    }),
  ]);
  return {
    ok: true,
    seconds,
    dataset: datasetFacts(dataset),
    policy: { parameters: policy.run.parameters, heldoutLoss },
    results,
    leftOut,
    report,
  };
}

/** Throws if no question has both right and wrong answers, which preferences need. */
function requirePairs({ doctor }: Dataset, file: string): void {
  if (doctor.pairs === 0) {
    throw new WhetstoneError(
      'invalid-input',
      'no question has both a right and a wrong answer, so there are no preference pairs',
      { where: file, hint: 'A study needs answers that are marked right or wrong, several to a question.' },
    );
  }
}
