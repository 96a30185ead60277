import { basename, join } from 'node:path';
import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { RewardInspection } from '../../preload/contract/rewards.ts';
import { importSaid } from '../import/said.ts';
import { checkpointId, resultOf, runToEnd, type PreferenceEvaluation, type Say } from '../demo/loop.ts';
import { digits, renderReport } from '../report/index.ts';
import type { Block, Cell, Section } from '../report/input.ts';
import { leftOutOf, leftOutText, type LeftOut } from '../left-out.ts';
import { writeWhole } from '../store/files.ts';
import type { Workbench } from '../workbench.ts';
import * as plan from './plan.ts';

/**
 * Held-out accuracy of one scorer on pairs of a right and a wrong solution, beside what length alone would
 * give on the same pairs.
 */
export interface PairResult {
  readonly name: string;
  readonly pairs: number;
  readonly accuracy: number;
  readonly interval: readonly [number, number];
  readonly baselines: { readonly longest: number; readonly shortest: number };
  /** The whole interval lies above the better of the two baselines. */
  readonly beatsBaseline: boolean;
}

export interface StudyResult {
  readonly ok: boolean;
  readonly seconds: number;
  readonly dataset: {
    readonly id: string;
    readonly rows: number;
    readonly prompts: number;
    readonly promptsWithPairs: number;
    readonly pairs: number;
    readonly longestWins: number | null;
    readonly shortestWins: number | null;
  };
  readonly policy: { readonly parameters: number | null; readonly heldoutLoss: number | null };
  readonly results: readonly PairResult[];
  /** Of each run, rows that were longer than its model reads. */
  readonly leftOut: readonly (LeftOut & { readonly run: string })[];
  readonly report: string;
}

/**
 * Import → policy on right solutions → reward model and DPO on right-over-wrong pairs → one report with n and
 * intervals.
 */
export async function runStudy(
  bench: Workbench,
  {
    file,
    folder,
    seed,
    keepGoodLines,
    say,
  }: { file: string; folder: string; seed: number; keepGoodLines: boolean; say: Say },
): Promise<StudyResult> {
  const start = performance.now();
  const dataset = await importSaid(bench, { path: file, keepGoodLines }, say);
  const { doctor } = dataset;
  if (doctor.pairs === 0) {
    throw new WhetstoneError(
      'invalid-input',
      'no question has both a right and a wrong answer, so there is nothing to prefer',
      { where: file, hint: 'A study needs answers that are marked right or wrong, several to a question.' },
    );
  }
  const policy = await runToEnd(bench, plan.policy(dataset.id, doctor.correct, seed), say);
  const from = checkpointId(policy);
  const reward = await runToEnd(bench, plan.rewardModel(from, dataset.id, seed), say);
  const inspection = await resultOf<RewardInspection>(bench, reward.run, 'reward-inspection');
  const dpo = await runToEnd(bench, plan.dpo(from, dataset.id, doctor.pairs, seed), say);
  const implicit = await resultOf<PreferenceEvaluation>(bench, dpo.run, 'preference-evaluation');
  const results = [
    pairResult('reward model (frozen features)', inspection),
    pairResult('DPO (implicit reward)', implicit),
  ];
  const losses = await bench.api.runs.metrics({
    runIds: [policy.run.id],
    names: ['loss', 'eval/loss'],
    from: 0,
    to: null,
    points: 1000,
  });
  const curve = (name: string): [number, number][] =>
    losses
      .filter((s) => s.name === name)
      .flatMap((s) => [...s.steps].map((x, i): [number, number] => [x, s.values[i]]));
  const heldoutLoss = curve('eval/loss').at(-1)?.[1] ?? null;
  const leftOut = await Promise.all(
    [policy, reward, dpo].map(async ({ run }) => ({ run: run.name, ...(await leftOutOf(bench, run.id)) })),
  );
  const seconds = (performance.now() - start) / 1000;
  const sections: Section[] = [
    { title: 'Result', blocks: resultBlocks(results) },
    { title: 'Data', blocks: [dataBlock(dataset), ...leftOutBlocks(leftOut)] },
    {
      title: 'Policy',
      blocks: [
        {
          kind: 'text',
          text:
            `${policy.run.parameters ?? '?'} parameters, byte pairs (vocabulary ` +
            `${plan.sizes.vocabulary}), trained on right solutions to ` +
            `${Math.round((1 - plan.sizes.heldout) * 100)} % of the questions; held-out loss ` +
            `${digits(heldoutLoss)} nats a token.`,
        },
        {
          kind: 'chart',
          title: 'Loss',
          x: 'step',
          y: 'nats a token',
          series: [
            { name: 'training', colour: 0, points: curve('loss') },
            { name: 'held out', colour: 1, points: curve('eval/loss') },
          ],
        },
      ],
    },
    {
      title: 'How it was run',
      blocks: [policy, reward, dpo].map(({ run }): Block => ({
        kind: 'json',
        title: `Specification of ${run.name}`,
        value: run.spec,
      })),
    },
  ];
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
    dataset: {
      id: dataset.id,
      rows: dataset.rows,
      prompts: doctor.prompts,
      promptsWithPairs: doctor.promptsWithPairs,
      pairs: doctor.pairs,
      longestWins: doctor.longestWins,
      shortestWins: doctor.shortestWins,
    },
    policy: { parameters: policy.run.parameters, heldoutLoss },
    results,
    leftOut,
    report,
  };
}

const pairResult = (
  name: string,
  { pairs, accuracy, accuracyInterval, baselines }: PreferenceEvaluation,
): PairResult => ({
  name,
  pairs,
  accuracy,
  interval: accuracyInterval,
  baselines,
  beatsBaseline: accuracyInterval[0] > Math.max(baselines.longest, baselines.shortest),
});

function resultBlocks(results: readonly PairResult[]): Block[] {
  return [
    ...results.map((r): Block => ({
      kind: 'finding',
      text: `${r.name}: ${digits(r.accuracy)} of ${r.pairs} held-out pairs, 95 % interval [${digits(r.interval[0])}, ${digits(r.interval[1])}]. ${
        r.beatsBaseline
          ? `Better than length alone (${digits(Math.max(r.baselines.longest, r.baselines.shortest))}).`
          : `No better than length alone (${digits(Math.max(r.baselines.longest, r.baselines.shortest))}) ` +
            'as far as these pairs can tell.'
      }`,
    })),
    {
      kind: 'table',
      columns: [
        { title: 'Scorer' },
        { title: 'Pairs' },
        { title: 'Accuracy', hint: '95 % interval, resampled by question' },
        { title: 'Longest wins' },
        { title: 'Shortest wins' },
      ],
      rows: results.map((r, colour): Cell[] => [
        { text: r.name, colour },
        String(r.pairs),
        { value: r.accuracy, interval: r.interval, range: [0, 1], colour },
        digits(r.baselines.longest),
        digits(r.baselines.shortest),
      ]),
    },
  ];
}

const leftOutBlocks = (leftOut: StudyResult['leftOut']): Block[] =>
  leftOut.flatMap(({ run, ...parts }) =>
    leftOutText(parts).map((text): Block => ({ kind: 'text', text: `${run}: ${text}` })),
  );

const dataBlock = ({ doctor, name, hash }: Dataset): Block => ({
  kind: 'table',
  columns: [
    { title: 'File' },
    { title: 'Rows' },
    { title: 'Questions' },
    { title: 'with both kinds' },
    { title: 'Pairs' },
    { title: 'Longest wins' },
    { title: 'Shortest wins' },
    { title: 'SHA-256' },
  ],
  rows: [
    [
      name,
      String(doctor.rows),
      String(doctor.prompts),
      String(doctor.promptsWithPairs),
      String(doctor.pairs),
      digits(doctor.longestWins),
      digits(doctor.shortestWins),
      hash.slice(0, 12),
    ],
  ],
});
