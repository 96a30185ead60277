import { existsSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { JudgeChanges, JudgeStatus } from '../../preload/contract/judge.ts';
import { rate, withInterval } from '../../preload/wire/numbers.ts';
import type { OpenServices } from '../headless/open.ts';
import { entriesOf } from '../store/pages.ts';
import { columns, onInterrupt, parseNumberFlag, text, type Answer, type Values } from './command.ts';
import { throttled } from './progress.ts';

type Api = OpenServices['api'];
type Log = (text: string) => void;

const string = { type: 'string' } as const;
export const judgeOptions = {
  order: string,
  params: string,
  model: string,
  every: string,
  candidates: string,
} satisfies ParseArgsOptionsConfig;

export const judgeUsage =
  'order --set ID --order ORDER [--params JSON] [--candidates N] [--model MODEL] | ' +
  'judge --set ID [--model MODEL] [--every N] | disagreements --set ID';

/** A model by its id or name, a checkpoint by its id, a folder, or `text` for text statistics. */
async function modelOf(api: Api, given: string): Promise<JudgeChanges['model']> {
  if (given === 'text') return null;
  if (existsSync(given)) return { kind: 'model', id: (await api.models.add({ path: given, name: '' })).id };
  const models = await entriesOf(async (before) => await api.models.list({ before }));
  const found = models.find(({ id, name }) => id === given || name === given);
  return found ? { kind: 'model', id: found.id } : { kind: 'checkpoint', id: given };
}

function paramsOf(values: Values): JudgeChanges['params'] {
  if (values.params === undefined) return undefined;
  try {
    return JSON.parse(text(values, 'params')) as Record<string, unknown>;
  } catch (error) {
    throw new WhetstoneError('invalid-input', '--params is not JSON.', { where: '--params', cause: error });
  }
}

const numberOf = (values: Values, name: string, least: number, most: number): number | undefined =>
  values[name] === undefined
    ? undefined
    : parseNumberFlag(name, String(values[name]), { least, most, whole: true });

/** Numbers of the flags. Read before a workspace opens, so that its errors come first. */
export const judgeNumbers = (values: Values): Pick<JudgeChanges, 'every' | 'candidates'> => ({
  every: numberOf(values, 'every', 1, 500),
  candidates: numberOf(values, 'candidates', 10, 20_000),
});

async function choose(api: Api, values: Values): Promise<void> {
  const settings = {
    order: values.order === undefined ? undefined : text(values, 'order'),
    params: paramsOf(values),
    model: values.model === undefined ? undefined : await modelOf(api, text(values, 'model')),
    ...judgeNumbers(values),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (given.length > 0)
    await api.judge.choose({ setId: text(values, 'set'), settings: Object.fromEntries(given) });
}

/** The last status of a feed, whose steps are logged; `until` ends it early. */
async function followed(
  open: (signal: AbortSignal) => AsyncIterable<JudgeStatus>,
  log: Log,
  until: (status: JudgeStatus) => boolean,
): Promise<JudgeStatus> {
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const progress = throttled(log);
  let last: JudgeStatus | null = null;
  try {
    for await (const status of open(stop.signal)) {
      last = status;
      if (status.working) progress(`${status.state}: ${Math.round(100 * status.share)} %`);
      if (until(status)) break;
    }
  } finally {
    release();
  }
  if (last === null || stop.signal.aborted) throw new WhetstoneError('cancelled', 'The work was cancelled.');
  if (last.error) throw new WhetstoneError('invalid-input', last.error.message, last.error);
  return last;
}

const fitText = ({ fit, disagreements }: JudgeStatus): string => {
  if (!fit) return 'No judge is fitted yet.';
  const rows = fit.curve.map(({ labels, accuracy, interval }) => [
    String(labels),
    withInterval(accuracy, interval),
  ]);
  return [
    fit.accuracy === null || fit.interval === null
      ? `fitted to ${fit.labels} labels of one prompt, so that none was left out`
      : `accuracy ${withInterval(fit.accuracy, fit.interval)} on left-out prompts, at ${fit.labels} labels`,
    ...(fit.leftOut > 0 ? [`${fit.leftOut} labels of pairs that are too long were left out`] : []),
    columns([['labels', 'accuracy'], ...rows]),
    `${disagreements} disagreements`,
  ].join('\n');
};

export const judgeActions: {
  readonly [name: string]: (api: Api, values: Values, log: Log) => Promise<Answer>;
} = {
  order: async (api, values, log) => {
    await choose(api, values);
    const input = { setId: text(values, 'set') };
    const status = await followed(
      (signal) => api.judge.live(input, signal),
      log,
      ({ working }) => !working,
    );
    const { settings, orderedAt } = status;
    const state =
      settings.order === 'random' ? '' : orderedAt === null ? ': random until 50 decisions' : ': ordered';
    return { value: status, text: `${settings.order}${state}` };
  },
  judge: async (api, values, log) => {
    await choose(api, values);
    const input = { setId: text(values, 'set') };
    await followed(
      (signal) => api.judge.fit(input, signal),
      log,
      () => false,
    );
    const status = await api.judge.status(input);
    return { value: status, text: fitText(status) };
  },
  disagreements: async (api, values) => {
    const page = await api.labels.review({
      setId: text(values, 'set'),
      filter: {
        disagrees: true,
        ...(values.labeler !== undefined && { labeler: text(values, 'labeler') }),
      },
      before: null,
      limit: 200,
    });
    const lines = page.decisions.map(({ pairId, choice, judge = 0.5, prompt }) => [
      pairId,
      choice,
      judge >= 0.5 ? `left ${rate(judge, 2)}` : `right ${rate(1 - judge, 2)}`,
      prompt.slice(0, 60).replaceAll('\n', ' '),
    ]);
    return {
      value: page,
      text:
        lines.length === 0
          ? 'No disagreements.'
          : columns([['pair', 'decided', 'judge', 'prompt'], ...lines]),
    };
  },
};
