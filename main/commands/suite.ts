import { WhetstoneError } from '../../engine/common/errors.ts';
import { SuiteKind, type SuiteReport } from '../../engine/schema/suite.ts';
import { openServices } from '../headless/open.ts';
import { columns, number, onInterrupt, text, workspaceOption, type Command, type Values } from './command.ts';
import { judgeFrom } from './judge-from.ts';
import { throttled } from './progress.ts';

type Rate = Pick<SuiteReport, 'score' | 'interval'>;

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const cells = ({ score, interval }: Rate): [string, string] => [
  score === null ? '–' : percent(score),
  interval === null ? '' : `[${interval.map(percent).join(', ')}]`,
];

/** The state of data of the workspace, and the counts of what is left out. */
const dataText = ({ data }: SuiteReport): string => {
  if (!data) return '';
  const { state, ...counts } = data;
  const words = { ties: 'ties', skipped: 'skipped labels', unpaired: 'rows without a counterpart' } as const;
  const left = (['ties', 'skipped', 'unpaired'] as const).flatMap((key) =>
    counts[key] > 0 ? [`${counts[key]} ${words[key]}`] : [],
  );
  return ` (${state})${left.length > 0 ? `, left out: ${left.join(', ')}` : ''}`;
};

/** The data that the flags name; undefined for a file. Throws `invalid-input` for none, and for several. */
function dataOf(values: Values, path: string | undefined) {
  const given = (['dataset', 'labels'] as const).filter((flag) => values[flag] !== undefined);
  if (given.length + Number(path !== undefined) !== 1)
    throw new WhetstoneError('invalid-input', 'Give one of FILE, --dataset and --labels.', { where: 'FILE' });
  const [flag] = given;
  if (flag === undefined) return undefined;
  const kind = flag === 'dataset' ? ('dataset' as const) : ('label-set' as const);
  return { kind, id: text(values, flag) };
}

export const suiteText = (report: SuiteReport): string => {
  const { suite, judge, items, unread, sections, subsets, steps } = report;
  const accuracy = (value: number | null): string => (value === null ? '–' : percent(value));
  const unreadText = unread > 0 ? `, ${unread} left out: the judge cannot read them` : '';
  return [
    `${suite}: ${judge.name}, ${items} items of ${report.file}${dataText(report)}${unreadText}`,
    columns([
      ['', 'score', '95 %', 'items'],
      ['all', ...cells(report), String(items - unread)],
      ...sections.map((section) => [section.name, ...cells(section), '']),
      ...subsets.map((subset) => [`  ${subset.name}`, ...cells(subset), String(subset.n)]),
    ]),
    ...(report.score === null ? ['No score of the whole suite: a section of it has no scored item.'] : []),
    ...(steps
      ? [
          `first wrong step found in ${accuracy(steps.erroneous.accuracy)} of ${steps.erroneous.n} wrong answers, ` +
            `none in ${accuracy(steps.correct.accuracy)} of ${steps.correct.n} right ones; threshold ` +
            `${steps.threshold.toFixed(4)} ${steps.thresholdBy === 'fitted' ? `fitted on ${steps.fittedOn} other answers` : 'as chosen'}`,
        ]
      : []),
  ].join('\n');
};

const kindOf = ({ suite }: Values): SuiteKind | undefined => {
  if (suite === undefined) return undefined;
  const kind = SuiteKind.safeParse(suite);
  if (kind.success) return kind.data;
  throw new WhetstoneError('invalid-input', `--suite is one of ${SuiteKind.options.join(', ')}.`, {
    where: '--suite',
  });
};

export const suiteCommand: Command = {
  name: 'suite',
  usage:
    'JUDGE [FILE | --dataset NAME | --labels NAME] --workspace DIR ' +
    `[--suite ${SuiteKind.options.join('|')}] [--slice COLUMN] [--threshold N]`,
  summary:
    'Score a file of RewardBench, RewardBench 2, ProcessBench or own gold pairs with a judge (a run, a checkpoint, a ' +
    'model), and store the report; its JSON can be read in again. Without --suite the columns decide. --dataset and ' +
    '--labels take the pairs of the workspace as a gold set.',
  example: 'RUN rewardbench.jsonl --workspace my-work --json',
  positionals: { least: 1, most: 2 },
  names: [
    { kind: 'dataset', option: 'dataset' },
    { kind: 'label set', option: 'labels' },
  ],
  options: {
    ...workspaceOption,
    suite: { type: 'string' },
    slice: { type: 'string' },
    threshold: { type: 'string' },
    dataset: { type: 'string' },
    labels: { type: 'string' },
  },
  async run({ positionals, values, log }) {
    const [judge, path] = [positionals[0], positionals.at(1)];
    const suite = kindOf(values);
    const threshold =
      values.threshold === undefined
        ? undefined
        : number(values, 'threshold', { fallback: 0, least: -1e9, most: 1e9 });
    const data = dataOf(values, path);
    const slice = values.slice === undefined ? undefined : text(values, 'slice');
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    const progress = throttled(log);
    try {
      const from = await judgeFrom(bench, judge);
      let made: string | null = null;
      const asked = { from, path, data, suite, slice, threshold };
      for await (const { done, total, id } of bench.api.suites.run(asked, stop.signal)) {
        if (id !== null) made = id;
        else progress(`scoring: ${done} of ${total}`);
      }
      if (made === null)
        throw new WhetstoneError('cancelled', 'The suite was cancelled; nothing was stored.');
      const value = await bench.api.suites.get({ id: made });
      return { value, text: suiteText(value) };
    } finally {
      release();
      await bench.close();
    }
  },
};
