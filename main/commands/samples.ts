import { WhetstoneError } from '../../engine/common/errors.ts';
import { ModeId } from '../../engine/schema/labeling/index.ts';
import type { BrowsedSample, PromptGroup, SampleSelection } from '../../preload/contract/samples.ts';
import { everyAnswer, sortFromText, type SampleView } from '../../preload/wire/sample-query.ts';
import { openServices } from '../headless/open.ts';
import { columns, number, onInterrupt, text, workspaceOption, type Answer, type Command } from './command.ts';
import type { Values } from './command.ts';
import { oneOf } from './label-flags.ts';
import { throttled } from './progress.ts';

type Api = Awaited<ReturnType<typeof openServices>>['api'];

const line = (given: string): string => given.replaceAll(/\s+/g, ' ').slice(0, 60);
const shown = (value: number | null | undefined): string =>
  value === null || value === undefined || Number.isNaN(value) ? '' : String(Number(value.toPrecision(4)));

function selectionOf(runIds: readonly string[], values: Values): SampleSelection {
  const views: readonly SampleView[] = [
    ...(values.group === true ? (['prompts'] as const) : []),
    ...(values.distinct === true ? (['distinct'] as const) : []),
  ];
  if (views.length > 1)
    throw new WhetstoneError('invalid-input', 'Answers are listed by prompt, or equal ones once.', {
      where: '--group --distinct',
      hint: 'Leave one of them out.',
    });
  return {
    runIds: [...runIds],
    query: values.answer === undefined ? String(values.query ?? '') : everyAnswer,
    sort: sortFromText(String(values.sort ?? '')),
    view: views[0] ?? 'answers',
    promptId: values.prompt === undefined ? null : text(values, 'prompt'),
    equalTo: null,
    ids: values.answer === undefined ? null : [text(values, 'answer')],
  };
}

const sampleLines = (samples: readonly BrowsedSample[]): string => {
  const origins = samples.some(({ origin }) => origin !== undefined);
  return columns([
    [
      'step',
      'purpose',
      'mark',
      'tokens',
      'key',
      'scores',
      ...(origins ? ['given', 'parent'] : []),
      'prompt',
      'answer',
    ],
    ...samples.map((each) => [
      String(each.step),
      each.purpose,
      each.correct === null ? '' : each.correct ? 'right' : 'wrong',
      `${each.tokens}${each.stopReason === 'length' ? ' truncated' : ''}`,
      shown(each.key),
      Object.entries(each.scores)
        .map(([name, value]) => `${name} ${shown(value)}`)
        .join(', '),
      // the parent as `--answer` takes it
      ...(origins ? [String(each.origin?.tokens ?? 0), each.origin?.parent ?? ''] : []),
      line(each.prompt),
      `${line(each.completion)}${each.copies > 1 ? ` ×${each.copies}` : ''}`,
    ]),
  ]);
};

const promptLines = (prompts: readonly PromptGroup[]): string =>
  columns([
    ['answers', 'different', 'right', 'wrong', 'mean', 'prompt id', 'prompt'],
    ...prompts.map((each) => [
      String(each.answers),
      String(each.distinct),
      String(each.right),
      String(each.wrong),
      shown(each.mean),
      each.promptId,
      line(each.prompt),
    ]),
  ]);

interface Place {
  readonly limit: number;
  readonly offset: number;
}

async function listed(api: Api, selection: SampleSelection, place: Place, values: Values): Promise<Answer> {
  const page = await api.samples.page({ ...selection, asOf: null, ...place });
  const { runIds, query } = selection;
  const found = await api.samples.facets({ runIds, query });
  const isGrouped = selection.view === 'prompts';
  const total = page.total ?? found.total;
  const counted = isGrouped ? 'prompts' : selection.view === 'distinct' ? 'different answers' : 'answers';
  const table = isGrouped ? promptLines(page.prompts) : sampleLines(page.samples);
  const list = isGrouped ? { prompts: page.prompts } : { samples: page.samples };
  const facets = values.facets === true ? { scores: found.scores, facets: found.facets } : {};
  return { value: { total, ...list, ...facets }, text: `${table}\n${total} ${counted} match` };
}

/** Saves the matching answers as a dataset, and with --to-labels makes a label set of it. */
async function saved(
  api: Api,
  { view, ...selection }: SampleSelection,
  values: Values,
  log: (text: string) => void,
): Promise<Answer> {
  if (view === 'prompts')
    throw new WhetstoneError('invalid-input', 'Prompts by themselves are no dataset.', {
      where: '--group',
      hint: 'Leave it out: the rows of a dataset keep their prompts together.',
    });
  const labels = values['to-labels'] === undefined ? null : text(values, 'to-labels');
  const mode = values.mode === undefined ? 'pair' : oneOf(values, 'mode', ModeId.options);
  const name = values['to-dataset'] === undefined ? `${labels} (answers)` : text(values, 'to-dataset');
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const progress = throttled(log);
  try {
    const from = { kind: 'samples' as const, view, ...selection };
    for await (const each of api.answers.save({ from, name, keep: 'nothing', operators: [] }, stop.signal)) {
      if (each.state === 'saving') {
        progress(`answers: ${each.done} of ${each.total}`);
        continue;
      }
      const { dataset } = each;
      const text = `${dataset.name}: ${dataset.rows} answers (${dataset.id})`;
      if (labels === null) return { value: { dataset }, text };
      const set = await api.labels.createSet({
        name: labels,
        from: { kind: 'dataset', datasetId: dataset.id },
        pairsPerPrompt: 4,
        onlyDiffering: false,
        seed: 0,
        mode,
      });
      return {
        value: { dataset, set },
        text: `${text}\n${set.pairs} items in '${set.name}', set ${set.id}`,
      };
    }
    throw new WhetstoneError('cancelled', 'Saving the answers was cancelled. Nothing of them was kept.');
  } finally {
    release();
  }
}

const string = { type: 'string' } as const;

export const samplesCommand: Command = {
  name: 'samples',
  usage:
    'RUN [RUN …] --workspace DIR [--query QUERY] [--sort [-]SCORE[~SCORE]] [--group|--distinct] [--prompt ID] [--answer ID] [--limit N] ' +
    '[--offset N] [--facets] [--to-dataset NAME] [--to-labels NAME [--mode pair|rating|…]]',
  summary:
    'Find sampled answers of runs: words, "phrases", -without, right, wrong, truncated, reward>0.5, step:10..20; sorted by ' +
    'a score or, with SCORE~SCORE, by the disagreement of two; --group lists prompts, --distinct equal answers once, ' +
    '--answer one answer, such as the parent from which another began. ' +
    '--to-dataset and --to-labels save them.',
  example: "RUN --workspace my-work --query 'truncated reward>0.5' --sort=-reward --json",
  positionals: { least: 1, most: 16 },
  options: {
    ...workspaceOption,
    query: string,
    sort: string,
    group: { type: 'boolean' },
    distinct: { type: 'boolean' },
    prompt: string,
    answer: string,
    limit: string,
    offset: string,
    facets: { type: 'boolean' },
    'to-dataset': string,
    'to-labels': string,
    mode: string,
  },
  async run({ positionals, values, log }) {
    const selection = selectionOf(positionals, values);
    const place = {
      limit: number(values, 'limit', { fallback: 20, least: 1, most: 500, whole: true }),
      offset: number(values, 'offset', { fallback: 0, least: 0, most: 1e9, whole: true }),
    };
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { runIds, query } = selection;
      const progress = throttled(log);
      const none = new AbortController().signal;
      for await (const { done, total } of bench.api.samples.index({ runIds, texts: query !== '' }, none))
        if (total > 0) progress(`index: ${done} of ${total}`);
      const isSaved = values['to-dataset'] !== undefined || values['to-labels'] !== undefined;
      return isSaved
        ? await saved(bench.api, selection, values, log)
        : await listed(bench.api, selection, place, values);
    } finally {
      await bench.close();
    }
  },
};
