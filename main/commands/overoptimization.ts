import type { PressureCurve } from '../../preload/contract/overoptimization.ts';
import { pressureText } from '../../preload/wire/pressure.ts';
import { openServices } from '../headless/open.ts';
import { columns, text, workspaceOption, type Command } from './command.ts';

const shown = (value: number): string => value.toFixed(3);
const range = ([low, high]: readonly [number, number]): string => `[${shown(low)}, ${shown(high)}]`;

function curveText(title: string, at: string, curve: PressureCurve): string[] {
  const { points, problems } = curve;
  return [
    `${title}, ${problems} problems`,
    columns([
      [at, '√KL', 'gold gain', '95 %', 'proxy gain'],
      ...points.map(({ at: place, distance, gold, goldInterval, proxy }) => [
        String(place),
        shown(distance),
        shown(gold),
        range(goldInterval),
        proxy === null ? '–' : shown(proxy),
      ]),
    ]),
    pressureText(curve) || 'no fit: it needs three distances',
  ];
}

export const overoptimizationCommand: Command = {
  name: 'overoptimization',
  usage: 'RUN --workspace DIR [--proxy SCORER]',
  summary:
    'Show gold reward over √KL as a run, and best-of-n of its answers, optimize a proxy, with fitted curves ' +
    '(Gao et al. 2022) and where gold turns down.',
  example: 'RUN --workspace my-work --proxy reward-model --json',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, proxy: { type: 'string' } },
  async run({ positionals: [runId], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const proxy = values.proxy === undefined ? null : String(values.proxy);
      const value = await bench.api.overoptimization.ofRun({ runId, proxy });
      const { rl, bestOfN, notes } = value;
      return {
        value,
        text: [
          ...(value.proxy === null ? [] : [`proxy: ${value.proxy}`]),
          ...(rl ? curveText('The run', 'step', rl) : []),
          ...(bestOfN
            ? curveText(`Best of n by ${value.proxy}, of the answers at step ${bestOfN.step}`, 'n', bestOfN)
            : []),
          ...notes,
        ].join('\n'),
      };
    } finally {
      await bench.close();
    }
  },
};
