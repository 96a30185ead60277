import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { openServices } from '../open.ts';
import { onInterrupt, text, workspaceOption, type Command } from './command.ts';
import { estimated, limitOption, refuseTooLarge, shown } from './preflight.ts';
import { readSpec } from './read-spec.ts';

/** Answers that a reward could not score, said at the end; all that are shown stand in the results. */
const FAULTS_SAID = 3;

const line = ({ name, state, phase, step, totalSteps, secondsLeft }: Run): string =>
  `${name}: ${phase || state} ${step}${totalSteps === null ? '' : ` of ${totalSteps}`}${secondsLeft === null ? '' : `, ${Math.ceil(secondsLeft)} s left`}`;

type Budgeted = { readonly budget?: { readonly overcommit?: unknown } } | null;
const overcommits = (spec: unknown): boolean => (spec as Budgeted)?.budget?.overcommit === true;
const overcommitted = (spec: unknown): unknown => (typeof spec === 'object' && spec !== null ? { ...spec, budget: { ...(spec as Budgeted)?.budget, overcommit: true } } : spec);

export const runCommand: Command = {
  name: 'run', usage: 'SPEC.json --workspace DIR [--limit-mb N] [--anyway]', summary: 'Run a specification to its end, if it fits into memory; --anyway: even if it does not. Ctrl+C stops it after the current step.',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, ...limitOption, anyway: { type: 'boolean' } },
  async run({ positionals: [path], values, say }) {
    const spec = values.anyway === true ? overcommitted(await readSpec(path)) : await readSpec(path);
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    let last = '';
    const show = (run: Run): void => {
      const now = line(run);
      if (now !== last) say(now);
      last = now;
    };
    try {
      const estimate = await estimated(bench.services, spec, { values, say, dryRun: false });
      if (values.anyway !== true && !overcommits(spec)) refuseTooLarge(estimate);
      say(shown(estimate));
      const { runId } = await bench.api.runs.launch({ spec });
      const release = onInterrupt(() => void bench.services.queue.stop(runId).catch((error: unknown) => say(WhetstoneError.from(error).message)));
      const run = await bench.waitForRun(runId, show);
      release();
      if (run.state === 'failed' || run.state === 'interrupted') throw run.error ? WhetstoneError.from(run.error) : new WhetstoneError('internal', `The run ended as ${run.state}.`, { where: runId });
      const results = await bench.api.runs.results({ id: runId }), faults = results.filter(({ kind }) => kind === 'reward-fault');
      for (const { step, value: fault } of faults.slice(0, FAULTS_SAID)) say(`Not scored at step ${step}: ${JSON.stringify(fault)}`);
      const value = { run, results, checkpoints: await bench.api.runs.checkpoints({ runId }) };
      return { value, text: `${run.name} is ${run.state} after ${run.step} steps.` };
    } finally {
      await bench.close();
    }
  },
};
