import type { Dataset } from '../../preload/contract/datasets.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { leftOutText } from '../use-cases/left-out.ts';
import { digits } from '../report/index.ts';
import type { Block, Cell, Section } from '../report/input.ts';
import { sizes } from './plan.ts';
import type { LossCurves } from './losses.ts';
import type { PairResult, StudyResult } from './result.ts';

/** The parts of a study's report. */
export interface StudyParts {
  readonly dataset: Dataset;
  readonly results: readonly PairResult[];
  readonly leftOut: StudyResult['leftOut'];
  /** Loss curves of the policy. */
  readonly losses: LossCurves;
  /** Size of the policy. */
  readonly parameters: number | null;
  readonly runs: readonly Run[];
}

/** The study's report: the result, the data, the policy, and how the runs were configured. */
export const studySections = (study: StudyParts): Section[] => [
  { title: 'Result', blocks: resultBlocks(study.results) },
  { title: 'Data', blocks: [dataBlock(study.dataset), ...leftOutBlocks(study.leftOut)] },
  { title: 'Policy', blocks: policyBlocks(study) },
  {
    title: 'Configuration',
    blocks: study.runs.map((run): Block => ({
      kind: 'json',
      title: `Specification of ${run.name}`,
      value: run.spec,
    })),
  },
];

const policyBlocks = ({ losses, parameters }: StudyParts): Block[] => [
  {
    kind: 'text',
    text:
      `${parameters ?? '?'} parameters, byte pairs (vocabulary ` +
      `${sizes.vocabulary}), trained on right solutions to ` +
      `${Math.round((1 - sizes.heldout) * 100)} % of the questions; held-out loss ` +
      `${digits(losses.heldout.at(-1)?.[1] ?? null)} nats per token.`,
  },
  {
    kind: 'chart',
    title: 'Loss',
    x: 'step',
    y: 'nats per token',
    series: [
      { name: 'training', colour: 0, points: losses.training },
      { name: 'held out', colour: 1, points: losses.heldout },
    ],
  },
];

/** A sentence that compares a reward model with its baselines. */
function findingOf({ name, accuracy, pairs, interval, baselines, beatsBaseline }: PairResult): string {
  const [low, high] = interval.map((bound) => digits(bound));
  const length = digits(Math.max(baselines.longest, baselines.shortest));
  const verdict = beatsBaseline
    ? `Better than length alone (${length}).`
    : `No better than length alone (${length}) on these pairs.`;
  return `${name}: ${digits(accuracy)} of ${pairs} held-out pairs, 95 % interval [${low}, ${high}]. ${verdict}`;
}

function resultBlocks(results: readonly PairResult[]): Block[] {
  return [
    ...results.map((r): Block => ({ kind: 'finding', text: findingOf(r) })),
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
