import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runDemo } from '../demo/index.ts';
import { openServices } from '../headless/open.ts';
import { digits } from '../report/index.ts';
import { policyLines } from '../report/policies.ts';
import { columns, number, workspaceOption, type Command } from './command.ts';
import { throttled } from './progress.ts';

export const demoCommand: Command = {
  name: 'demo',
  usage: '[--workspace DIR] [--seed N]',
  summary:
    'The whole loop on built-in arithmetic: base policy, samples, labels, reward model, five policies, ' +
    'one report. Up to five minutes on two cores.',
  example: '--workspace my-demo --seed 1',
  positionals: { least: 0, most: 0 },
  options: { ...workspaceOption, seed: { type: 'string' } },
  async run({ values, log }) {
    const seed = number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true });
    const folder =
      typeof values.workspace === 'string'
        ? resolve(values.workspace)
        : await mkdtemp(join(tmpdir(), 'whetstone-demo-'));
    log(`Workspace: ${folder}`);
    const bench = await openServices({ workspacePath: folder, create: true });
    try {
      const { result, policies } = await runDemo(bench, { folder, seed, log: throttled(log) });
      const { heldoutAccuracy, ece, lengthCorrelation } = result.rewardModel;
      return {
        value: result,
        text: [
          columns(policyLines('policy', policies)),
          `Reward model: held-out accuracy ${digits(heldoutAccuracy)}, ECE ${digits(ece)}, correlation ` +
            `with length ${digits(lengthCorrelation, 2)}.`,
          `GRPO with the verifier gains at least .15 over the base and over the control: ${result.ok ? 'yes' : 'no'}.`,
          `${Math.round(result.seconds)} s. Report: ${result.report}`,
        ].join('\n'),
      };
    } finally {
      await bench.close();
    }
  },
};
