import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Forecast, ForecastTarget, Inheritance } from '../../preload/contract/inheritance.ts';
import { delta, number, rate, withInterval } from '../../preload/wire/numbers.ts';
import { openServices } from '../headless/open.ts';
import { columns, text, workspaceOption, type Command } from './command.ts';

const orDash = (value: number | null, write: (value: number) => string): string =>
  value === null ? '–' : write(value);
const withBounds = (value: number | null, interval: readonly [number, number] | null): string =>
  orDash(value, (known) => (interval ? withInterval(known, interval, delta) : delta(known)));

const inheritanceText = ({ start, tasks, accuracies, recipes }: Inheritance): string =>
  [
    columns([
      ['recipe', 'gain', 'mRI', 'Pareto front'],
      ...recipes.map(({ name, gain, gainInterval, retention, retentionInterval, isFront }) => [
        name,
        withBounds(gain, gainInterval),
        withBounds(retention, retentionInterval),
        isFront ? 'yes' : '',
      ]),
    ]),
    columns([
      ['learned', ...tasks, 'RI'],
      [`(${start})`, ...accuracies.map((value) => orDash(value, rate)), ''],
      ...recipes.flatMap(({ name, tasks: rows }) =>
        rows.map(({ changes, retention }, at) => [
          `${name} ${tasks[at]}`,
          ...changes.map((change) => orDash(change, delta)),
          orDash(retention, delta),
        ]),
      ),
    ]),
  ].join('\n\n');

const forecastText = ({ distances, recipes, target, of }: Forecast, { tasks }: Inheritance): string =>
  [
    columns([
      ['task', 'distance'],
      ...tasks.map((task, at) => [task, number(distances[at])]),
      ...(target === null ? [] : [['asked for', number(target)]]),
    ]),
    columns([
      [
        'recipe',
        'rank correlation with loss',
        of === 'start' ? 'expected change on its own data' : 'expected change on the others',
      ],
      ...recipes.map(({ name, correlation, predicted }) => [
        name,
        orDash(correlation, rate),
        orDash(predicted, delta),
      ]),
    ]),
  ].join('\n\n');

export const inheritanceCommand: Command = {
  name: 'inheritance',
  usage: 'PLAN [--forecast] [--dataset ID] --workspace DIR',
  summary:
    'Show what the runs of a plan that adapt one start to several tasks gain there and lose on the others. ' +
    '--forecast also measures how far the data of each task is from that of the start, and what --dataset would cost.',
  example: 'PLAN --forecast --workspace my-work --json',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, forecast: { type: 'boolean' }, dataset: { type: 'string' } },
  async run({ positionals: [id], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const found = await bench.api.plans.inheritance({ id });
      if (found === null)
        throw new WhetstoneError(
          'invalid-input',
          'This plan has no runs that adapt one start to several tasks.',
          { where: id, hint: 'Give every run the same `evaluations`, one for each task.' },
        );
      const target: ForecastTarget | null =
        values.dataset === undefined ? null : { datasetId: text(values, 'dataset') };
      const isAsked = values.forecast === true || target !== null;
      const forecast = isAsked ? await bench.api.plans.forecast({ id, target }) : null;
      return {
        value: { ...found, ...(forecast && { forecast }) },
        text: [inheritanceText(found), ...(forecast ? [forecastText(forecast, found)] : [])].join('\n\n'),
      };
    } finally {
      await bench.close();
    }
  },
};
