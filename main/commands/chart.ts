import { checkChart, compileChart, controlWorldById, inWords, replayChart } from '../../engine/index.ts';
import { columns, number, text, type Command } from './command.ts';
import { readSpec } from './read-spec.ts';

export const chartCommand: Command = {
  name: 'chart',
  usage: 'FILE [--world WORLD] [--starts N]',
  summary:
    'Check a chart of behaviour against a control world before it is trained with: states that never or always ' +
    'hold, an order that cannot be, and the fewest actions that complete it.',
  example: 'overtake.json --world control/lane-grid --json',
  positionals: { least: 1, most: 1 },
  options: { world: { type: 'string' }, starts: { type: 'string' } },
  async run({ positionals: [path], values }) {
    const world = controlWorldById(text(values, 'world', 'control/lane-grid'), '--world');
    const starts = number(values, 'starts', { fallback: 4, least: 1, most: 1000, whole: true });
    const compiled = compileChart(await readSpec(path), world.observations);
    const checked = checkChart(world, compiled, { starts });
    const { faults, example, isComplete, searched } = checked;
    const found = faults.map(({ kind, message }) => [kind, message]);
    const way = example
      ? [
          `The fewest actions: ${example.actions.join(', ')}.`,
          `In words: ${inWords(compiled, replayChart(compiled, example.observations))}`,
        ]
      : ['No actions complete the order.'];
    return {
      value: { chart: compiled.chart.name, world: world.id, ...checked },
      text: [
        ...(found.length > 0 ? [columns(found)] : ['No fault was found.']),
        ...(faults.some(({ kind }) => kind === 'at start') ? [] : way),
        `${searched} situations from ${starts} starts were searched${isComplete ? ', all that they lead to' : ''}.`,
      ].join('\n'),
      exit: faults.length > 0 ? 1 : 0,
    };
  },
};
