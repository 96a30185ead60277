import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { openServices } from '../open.ts';
import { onInterrupt, text, workspaceOption, type Command } from './command.ts';
import { limitOf, limitOption, refuseTooLarge, shown } from './preflight.ts';
import { readSpec } from './read-spec.ts';

const line = ({ name, state, phase, step, totalSteps, secondsLeft }: Run): string =>
  `${name}: ${phase || state} ${step}${totalSteps === null ? '' : ` of ${totalSteps}`}${secondsLeft === null ? '' : `, ${Math.ceil(secondsLeft)} s left`}`;

export const runCommand: Command = {
  name: 'run', usage: 'SPEC.json --workspace DIR [--limit-mb N]', summary: 'Run a specification to its end. Ctrl+C stops it after the current step.',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, ...limitOption },
  async run({ positionals: [path], values, say }) {
    const spec = await readSpec(path);
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    let last = '';
    const show = (run: Run): void => {
      const now = line(run);
      if (now !== last) say(now);
      last = now;
    };
    try {
      const estimate = await bench.api.runs.preflight({ spec, dryRun: false, ...limitOf(values) });
      refuseTooLarge(estimate);
      say(shown(estimate));
      const { runId } = await bench.api.runs.launch({ spec });
      const release = onInterrupt(() => void bench.services.queue.stop(runId).catch((error: unknown) => say(WhetstoneError.from(error).message)));
      const run = await bench.waitForRun(runId, show);
      release();
      if (run.state === 'failed' || run.state === 'interrupted') throw run.error ? WhetstoneError.from(run.error) : new WhetstoneError('internal', `The run ended as ${run.state}.`, { where: runId });
      const value = { run, results: await bench.api.runs.results({ id: runId }), checkpoints: await bench.api.runs.checkpoints({ runId }) };
      return { value, text: `${run.name} is ${run.state} after ${run.step} steps.` };
    } finally {
      await bench.close();
    }
  },
};
