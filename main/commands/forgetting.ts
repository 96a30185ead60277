import { continual } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { columns, text, workspaceOption, type Command } from './command.ts';

const shown = (value: number): string => value.toFixed(3);

/** The last pass@1 of each named further evaluation of a run. Throws `invalid-input` if the run lacks one. */
async function accuraciesOf(
  { api }: OpenServices,
  run: Pick<Run, 'id' | 'name'>,
  names: readonly string[],
): Promise<number[]> {
  const series = await api.runs.metrics({
    runIds: [run.id],
    names: names.map((name) => `eval/${name}/pass_at_1`),
    from: 0,
    to: null,
    points: 20_000,
  });
  return names.map((name) => {
    const value = series.find((each) => each.name === `eval/${name}/pass_at_1`)?.values.at(-1);
    if (value !== undefined) return value;
    throw new WhetstoneError('invalid-input', `The run has no evaluation named '${name}'.`, {
      where: `run ${run.name || run.id}`,
      hint: 'Give every run the same list `evaluations`: one world for each task of the stream.',
    });
  });
}

export const forgettingCommand: Command = {
  name: 'forgetting',
  usage: 'RUN RUN [RUN …] --tasks NAME,NAME[,NAME…] --workspace DIR',
  summary:
    'Show what is forgotten of earlier tasks by runs that follow one another: the accuracy of each named ' +
    'evaluation after each run, forgetting and backward transfer.',
  example: 'RUN RUN --tasks digits,letters --workspace my-work --json',
  positionals: { least: 2, most: 16 },
  options: { ...workspaceOption, tasks: { type: 'string' } },
  async run({ positionals: runIds, values }) {
    const tasks = text(values, 'tasks').split(',');
    if (tasks.length !== runIds.length)
      throw new WhetstoneError(
        'invalid-input',
        `There are ${runIds.length} runs and ${tasks.length} tasks: each run learns one task.`,
        { where: '--tasks', hint: 'Name the evaluations in the order in which the runs learned them.' },
      );
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const runs: Pick<Run, 'id' | 'name'>[] = [];
      for (const id of runIds) runs.push(await bench.api.runs.get({ id }));
      const accuracies: number[][] = [];
      for (const run of runs) accuracies.push(await accuraciesOf(bench, run, tasks));
      const found = continual(accuracies);
      const value = { tasks, runs: runIds, accuracies, ...found };
      return {
        value,
        text: [
          columns([
            ['after', ...tasks],
            ...runs.map(({ name, id }, at) => [name || id, ...accuracies[at].map(shown)]),
            ['forgotten', ...found.forgotten.map(shown), ''],
          ]),
          `forgetting ${shown(found.forgetting)}, backward transfer ${shown(found.backwardTransfer)}, ` +
            `accuracy at the end ${shown(found.final)}`,
        ].join('\n'),
      };
    } finally {
      await bench.close();
    }
  },
};
