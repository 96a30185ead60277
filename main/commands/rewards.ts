import { WhetstoneError } from '../../engine/common/errors.ts';
import { PairOrder, PairOutcome, type PairFilter } from '../../engine/schema/inspected-pair.ts';
import { markFrom } from '../../preload/wire/pair-mark.ts';
import { openServices } from '../headless/open.ts';
import { columns, number, onInterrupt, text, workspaceOption, type Command, type Values } from './command.ts';
import { oneOf, optional } from './label-flags.ts';
import { throttled } from './progress.ts';
import { between, line, percent, shown, type Action } from './rewards-action.ts';
import { ensemble, ensembleCells, othersOf } from './rewards-ensemble.ts';
import { map, near, pairAt } from './rewards-map.ts';

/** The pairs that the flags choose, and their order. */
function queryOf(runId: string, values: Values) {
  const mark = optional(values, 'mark');
  const outcome =
    values.errors === true
      ? ('wrong' as const)
      : values.outcome === undefined
        ? undefined
        : oneOf(values, 'outcome', PairOutcome.options);
  const filter: PairFilter = {
    ...(mark !== undefined && { mark: markFrom(mark) }),
    ...(outcome && { outcome }),
  };
  const order = values.sort === undefined ? 'stored' : oneOf(values, 'sort', PairOrder.options);
  const others = othersOf(values);
  return { runId, filter, order, ...(others.length > 0 && { others }) } as const;
}

const limitOf = (values: Values): number =>
  number(values, 'limit', { least: 1, most: 200, whole: true, fallback: 20 });

const pairs: Action = async ({ inspections: api }, { runId, values }) => {
  const limit = limitOf(values);
  const query = queryOf(runId, values);
  const [dataset, labels] = [optional(values, 'to-dataset'), optional(values, 'to-labels')];
  if (dataset !== undefined) {
    const made = await api.toDataset({ ...query, name: dataset });
    return { value: made, text: `${made.name}: ${made.rows / 2} pairs, ${made.rows} rows (${made.id})` };
  }
  if (labels !== undefined) {
    const made = await api.toLabels({ ...query, name: labels });
    return { value: made, text: `${made.pairs} pairs in the label set '${made.name}' (${made.id})` };
  }
  const page = await api.pairs({ ...query, offset: 0, limit });
  const rows = page.pairs.map((pair) => [
    String(pair.position),
    pair.verdict,
    pair.margin.toFixed(4),
    pair.probability.toFixed(4),
    shown(pair.certainty, 3),
    ...(query.others ? ensembleCells(pair.ensemble) : []),
    line(pair.prompt),
    line(pair.chosen),
    line(pair.rejected),
  ]);
  const head = [
    ...['pair', 'label', 'margin', 'p(chosen)', 'certainty'],
    ...(query.others ? ['mean', 'spread', 'against'] : []),
    ...['prompt', 'chosen', 'rejected'],
  ];
  const counted = `${page.total} pairs${page.answers === null ? '' : `, of ${page.answers} answers in the bar`}`;
  return { value: page, text: [counted, ...(rows.length > 0 ? [columns([head, ...rows])] : [])].join('\n') };
};

const slices: Action = async ({ inspections: api }, { runId, values }) => {
  const by = values.by === undefined ? [] : [values.by].flat().map(String);
  if (by.length === 0) {
    const known = await api.columns({ runId });
    return { value: known, text: columns(known.map(({ name, about }) => [name, about])) };
  }
  const table = await api.slices({ runId, by });
  const head = ['by', 'slice', 'n', 'prompts', 'accuracy', '95 %', 'all at once', 'p (Holm)', ''];
  const rows = table.slices.map((slice) => [
    slice.by,
    line(slice.name),
    String(slice.n),
    String(slice.prompts),
    percent(slice.accuracy),
    between(slice.interval),
    between(slice.simultaneous),
    shown(slice.p),
    slice.flag ?? '',
  ]);
  const note = `corrected for ${table.tested} slices that were tested`;
  const more = table.more > 0 ? [`${table.more} smaller slices left out`] : [];
  return { value: table, text: [columns([head, ...rows]), note, ...more].join('\n') };
};

const reasons = {
  separable: 'every margin is right, so that the likelihood grows for ever as T falls',
  'no-better-than-chance': 'the margins tell no better than chance',
  'too-few': 'there are fewer than two pairs',
} as const;

const temperature: Action = async ({ inspections: api }, { runId }) => {
  const fit = await api.temperature({ runId });
  const found =
    fit.temperature === null
      ? `No temperature: ${fit.reason === null ? 'unknown' : reasons[fit.reason]}`
      : `T ${fit.temperature.toFixed(4)} on ${fit.pairs} pairs`;
  const judged =
    fit.ece.after === null
      ? 'not judged: a fold has no temperature'
      : `judged on folds by prompt that T was not fitted on (T ${fit.folds.map((each) => shown(each)).join(', ')})`;
  const values = columns([
    ['', 'before', 'after'],
    ['ECE', shown(fit.ece.before), shown(fit.ece.after)],
    ['NLL', shown(fit.nll.before), shown(fit.nll.after)],
  ]);
  return { value: fit, text: [found, values, judged].join('\n') };
};

const against: Action = async ({ inspections: api }, { runId, otherId }) => {
  if (otherId === '')
    throw new WhetstoneError('invalid-input', 'The other reward model is missing.', {
      where: 'rewards against',
      hint: 'Give two runs: rewards against RUN OTHER.',
    });
  const found = await api.against({ runId, otherId });
  const { agreement, here, there, difference, interval } = found;
  const rows = [
    ['pairs', String(found.pairs)],
    ['same order', agreement === null ? '–' : percent(agreement)],
    ['accuracy here', here === null ? '–' : percent(here)],
    ['accuracy there', there === null ? '–' : percent(there)],
    ['difference', difference === null ? '–' : `${percent(difference)} (${between(interval)})`],
    ['only here right', String(found.onlyHereRight)],
    ['only there right', String(found.onlyThereRight)],
  ];
  return { value: found, text: columns(rows) };
};

const inspect: Action = async ({ inspections: api }, { runId, log }) => {
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const progress = throttled(log);
  try {
    for await (const { done, total } of api.again({ runId }, stop.signal))
      progress(`pairs: ${done} of ${total}`);
  } finally {
    release();
  }
  const value = await api.state({ runId });
  return { value, text: `${value.pairs ?? 0} pairs stored` };
};

const actions: Readonly<Record<string, Action>> = {
  pairs,
  slices,
  temperature,
  against,
  ensemble,
  map,
  near,
  inspect,
};
const string = { type: 'string' } as const;

export const rewardsCommand: Command = {
  name: 'rewards',
  usage:
    `${Object.keys(actions).join('|')} RUN [OTHER] --workspace DIR [--mark MARK] [--errors | --outcome ` +
    'right|wrong|equal] [--sort ORDER] [--with OTHER,OTHER] [--limit N] [--to-dataset NAME | --to-labels NAME] ' +
    '[--by COLUMN]… [--pair N] [--side chosen|rejected]',
  summary:
    'The held-out pairs of a reward model: those behind a mark (scores:3, margins:3, reliability:3, ' +
    'slice:COLUMN:VALUE, region:-1..2:0..), sorted, saved or sent to be labeled; accuracy by slice; temperature; ' +
    'another model on the same pairs. ensemble: several of them with --with, whose disagreement --sort ensemble ' +
    'orders pairs by. map: places the answers by the model’s representations; near: those nearest to the answer of ' +
    'a pair. inspect: scores the pairs of an older run again.',
  example: 'pairs RUN --sort surest-error --errors --to-dataset errors --workspace my-work',
  positionals: { least: 2, most: 3 },
  options: {
    ...workspaceOption,
    mark: string,
    errors: { type: 'boolean' },
    outcome: string,
    sort: string,
    limit: string,
    'to-dataset': string,
    'to-labels': string,
    by: { type: 'string', multiple: true },
    with: { type: 'string', multiple: true },
    pair: string,
    side: string,
  },
  async run({ positionals: [name, runId, otherId = ''], values, log }) {
    limitOf(values);
    pairAt(values);
    if (!Object.hasOwn(actions, name))
      throw new WhetstoneError('invalid-input', `'${name}' is no action of rewards.`, {
        where: 'rewards',
        hint: `Use ${Object.keys(actions).join(', ')}.`,
      });
    // flags are read before a workspace opens, so that their errors come first
    queryOf(runId, values);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      return await actions[name](bench.api, { runId, otherId, values, log });
    } finally {
      await bench.close();
    }
  },
};
