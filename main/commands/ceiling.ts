import { fitSaturating, saturatingAt } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { columns, number, text, workspaceOption, type Command } from './command.ts';

const shown = (value: number): string => String(Number(value.toPrecision(4)));

/** The fitted curve of a run's metric over its steps, and its prediction of the last point. */
async function ceilingOf({ api }: OpenServices, id: string, metric: string, first: number) {
  const run = await api.runs.get({ id });
  const [series] = await api.runs.metrics({
    runIds: [id],
    names: [metric],
    from: 1,
    to: null,
    points: 20_000,
  });
  const points = [...(series?.steps ?? [])].map((step, at) => [step, series.values[at]] as const);
  const fitted = points.slice(0, Math.ceil(first * points.length));
  if (fitted.length < 5)
    throw new WhetstoneError('invalid-input', `The run has ${fitted.length} points of '${metric}' to fit.`, {
      where: `run ${run.name || id}`,
      hint: 'Choose another metric, or evaluate more often: evaluation.every.',
    });
  const fit = fitSaturating(
    fitted.map(([step]) => step),
    fitted.map(([, value]) => value),
  );
  const [step, reached] = points[points.length - 1];
  return {
    runId: id,
    name: run.name,
    metric,
    points: fitted.length,
    ...fit,
    last: { step, reached, predicted: saturatingAt(fit, step) },
  };
}

export const ceilingCommand: Command = {
  name: 'ceiling',
  usage: 'RUN [RUN …] --workspace DIR [--metric NAME] [--first SHARE]',
  summary:
    'Fit a curve that levels off to a metric over steps: the ceiling that a recipe would reach, its middle and ' +
    'slope. --first .3 fits the first points only, and shows how well they predict the last one.',
  example: 'RUN --metric reward/mean --first 0.3 --workspace my-work --json',
  positionals: { least: 1, most: 16 },
  options: { ...workspaceOption, metric: { type: 'string' }, first: { type: 'string' } },
  async run({ positionals: runIds, values }) {
    const first = number(values, 'first', { fallback: 1, least: 0, openLeast: true, most: 1 });
    const metric = String(values.metric ?? 'reward/mean');
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value = [];
      for (const id of runIds) value.push(await ceilingOf(bench, id, metric, first));
      return {
        value,
        text: columns([
          ['run', 'start', 'ceiling', 'middle, steps', 'slope', 'error', 'last', 'predicted'],
          ...value.map(({ name, runId, start, ceiling, middle, slope, error, last }) => [
            name || runId,
            ...[start, ceiling, middle, slope, error, last.reached, last.predicted].map(shown),
          ]),
        ]),
      };
    } finally {
      await bench.close();
    }
  },
};
