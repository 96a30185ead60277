import { resolve } from 'node:path';
import { leftOutText } from '../use-cases/left-out.ts';
import { openServices } from '../headless/open.ts';
import { digits } from '../report/index.ts';
import { runStudy } from '../study/index.ts';
import { number, text, workspaceOption, type Command } from './command.ts';
import { throttled } from './progress.ts';

export const studyCommand: Command = {
  name: 'study',
  usage: 'FILE --workspace DIR [--seed N] [--keep-good-lines]',
  summary:
    'From a file of marked solutions: a policy, a reward model and DPO on its right/wrong pairs, and ' +
    'a report with length baselines.',
  example: 'solutions.jsonl --workspace my-study',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, seed: { type: 'string' }, 'keep-good-lines': { type: 'boolean' } },
  async run({ positionals: [file], values, log }) {
    const folder = resolve(text(values, 'workspace'));
    const seed = number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true });
    const bench = await openServices({ workspacePath: folder, create: true });
    try {
      const result = await runStudy(bench, {
        file: resolve(file),
        folder,
        seed,
        keepGoodLines: values['keep-good-lines'] === true,
        log: throttled(log),
      });
      return {
        value: result,
        text: [
          ...result.results.map(
            (r) =>
              `${r.name}: ${digits(r.accuracy)} [${digits(r.interval[0])}, ${digits(r.interval[1])}] of ` +
              `${r.pairs} held-out pairs; longest wins ${digits(r.baselines.longest)}, shortest ` +
              `${digits(r.baselines.shortest)}${r.beatsBaseline ? '' : '; no better than its baseline'}`,
          ),
          ...result.leftOut.flatMap(({ run, ...parts }) =>
            leftOutText(parts).map((text) => `${run}: ${text}`),
          ),
          `${Math.round(result.seconds)} s. Report: ${result.report}`,
        ].join('\n'),
      };
    } finally {
      await bench.close();
    }
  },
};
