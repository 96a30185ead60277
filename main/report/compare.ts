import { realDifferences, valueText, type Difference } from '../../preload/wire/differences.ts';
import type { Workbench } from '../services/workbench.ts';
import { conclusionSections } from './conclusions.ts';
import type { Block, Cell, Report, Section } from './input.ts';
import { noteSections } from './notes.ts';
import { findingBlocks } from './findings.ts';
import { episodeTable, policyTable } from './policies.ts';

type Api = Pick<Workbench['api'], 'runs' | 'compare' | 'runDoctor'>;

/** Metrics to chart if any of the runs has them, in reading order. */
const charted = [
  ['loss', 'loss'],
  ['eval/loss', 'held-out loss, nats per token'],
  ['reward/mean', 'reward'],
  ['reward/verifier', 'right answers'],
  ['reward/reward-model', 'reward-model score'],
  ['return/mean', 'return of training episodes'],
  ['kl', 'KL to the initial policy, nats'],
  ['rewards/accuracies', 'pairs ranked correctly'],
  ['completions/mean_length', 'answer length, tokens'],
  ['entropy', 'entropy, nats'],
] as const;

const LEAD = ['Run', 'Method', 'State'];

/** The last evaluation of each run; runs in control worlds have a table of their own. */
const resultTables = (rows: Awaited<ReturnType<Api['compare']['overview']>>['rows']): Block[] => {
  const led = rows.map(({ name, method, state, evaluation, episodes }, colour) => {
    const lead = [{ text: name, colour }, method, state];
    return { policy: { lead, evaluation, colour }, player: { lead, evaluation: episodes, colour } };
  });
  const players = led.flatMap(({ player }) => (player.evaluation ? [player] : []));
  const policies = led.flatMap(({ policy, player }) => (player.evaluation ? [] : [policy]));
  return [
    ...(policies.length > 0 ? [policyTable(LEAD, policies)] : []),
    ...(players.length > 0 ? [episodeTable(LEAD, players)] : []),
  ];
};

/**
 * Compares runs: results with intervals, what they conclude, curves, differences of their specifications, and
 * samples of the same prompts.
 */
export async function compareReport(
  api: Api,
  { runIds, title, ...asked }: { runIds: string[]; title: string; baseline: string | null; folded: boolean },
): Promise<Report> {
  const { rows, differences } = await api.compare.overview({ runIds });
  const conclusion = await api.compare.conclude({ runIds, ...asked });
  const names = rows.map((r) => r.name);
  const runs = await Promise.all(runIds.map(async (id) => await api.runs.get({ id })));
  const sections: Section[] = [
    {
      title: 'Results',
      blocks: [
        ...resultTables(rows),
        ...runs.flatMap(({ name, warnings }) =>
          warnings.map((warning): Block => ({ kind: 'finding', text: `${name}: ${warning.text}` })),
        ),
      ],
    },
    ...noteSections(runs),
    ...conclusionSections(conclusion),
    { title: 'Run doctor', blocks: await findingBlocks(api, runs) },
    { title: 'Curves', blocks: await curves(api, runIds, names) },
    { title: 'What differs', blocks: [differing(names, realDifferences(differences))] },
    { title: 'Samples side by side', blocks: [await sampleBlock(api, runIds, names)] },
  ];
  return { title, subtitle: `${runIds.length} runs`, createdAt: Date.now(), sections };
}

async function curves(api: Api, runIds: string[], names: readonly string[]): Promise<Block[]> {
  const series = await api.runs.metrics({
    runIds,
    names: charted.map(([name]) => name),
    from: 0,
    to: null,
    points: 1000,
  });
  const charts = charted.flatMap(([metric, unit]): Block[] => {
    const lines = series.filter((s) => s.name === metric && s.steps.length > 1);
    if (lines.length === 0) return [];
    return [
      {
        kind: 'chart',
        title: metric,
        x: 'step',
        y: unit,
        series: lines.map((s) => ({
          name: `${names[runIds.indexOf(s.runId)]}${s.role === undefined ? '' : ` (${s.role})`}`,
          colour: runIds.indexOf(s.runId),
          points: [...s.steps].map((x, i): [number, number] => [x, s.values[i]]),
        })),
      },
    ];
  });
  return charts.length > 0 ? charts : [{ kind: 'text', text: 'These runs have no curve in common.' }];
}

function differing(names: readonly string[], differences: readonly Difference[]): Block {
  if (differences.length === 0) return { kind: 'text', text: 'The specifications are identical.' };
  return {
    kind: 'table',
    columns: [{ title: 'Field' }, ...names.map((title) => ({ title }))],
    rows: differences.map((each): Cell[] => [
      each.path,
      ...names.map((_name, run) => valueText(each, run).slice(0, 60)),
    ]),
  };
}

/**
 * The first evaluation answer of each run to prompts that all runs answered; a run's index sets its colour.
 */
export async function sampleBlock(
  api: Pick<Api, 'runs'>,
  runIds: string[],
  names: readonly string[],
): Promise<Block> {
  const prompts = runIds.length <= 16 ? await api.runs.commonPrompts({ runIds, limit: 8 }) : [];
  if (prompts.length === 0) return { kind: 'text', text: 'No prompt was answered by all of these runs.' };
  return {
    kind: 'samples',
    prompts: await Promise.all(
      prompts.map(async ({ promptId, prompt }) => {
        const { samples: found } = await api.runs.samples({
          runIds,
          purpose: 'evaluation',
          promptId,
          step: null,
          order: 'newest',
          offset: 0,
          limit: 500,
        });
        return {
          prompt,
          answers: runIds.flatMap((id, colour) => {
            const one = found.find((s) => s.runId === id && s.sample === 0);
            return one
              ? [
                  {
                    name: names[colour],
                    colour,
                    text: one.completion,
                    right: 'verifier' in one.scores ? one.scores.verifier > 0.5 : null,
                  },
                ]
              : [];
          }),
        };
      }),
    ),
  };
}
