/** The pairs of a finished reward model's inspection, scored again by its checkpoint. */
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { EngineCalls } from '../../schema/messages.ts';
import { followed } from '../../pace/index.ts';
import { evaluateRun } from '../run/evaluate-run.ts';
import { openSession } from '../run/open-session.ts';
import { sendPairs } from '../run/run-report.ts';

type Call = EngineCalls['inspectAgain'];

/**
 * Opens a run at its checkpoint (`resumeFrom`) and inspects it on its held-out pairs, which it reports in order.
 * The same checkpoint and data give the scores of the run's own inspection. Throws `invalid-input` for a run
 * that inspects no pairs.
 */
export const inspectAgain = async (
  device: Device,
  { run }: Call['input'],
  signal: AbortSignal | undefined,
  report: (progress: Call['progress']) => void,
): Promise<Call['output']> => {
  const stop = signal ?? new AbortController().signal;
  const found: number[] = [];
  await followed({ stop }, async () => {
    const session = await openSession(run, device);
    await evaluateRun(session, {
      result: () => Promise.resolve(),
      metrics: () => Promise.resolve(),
      keep: () => Promise.resolve(),
      pairs: async (rows, total) => {
        found.push(total);
        await sendPairs(rows, total, report);
      },
    });
  });
  const [pairs] = found;
  if (pairs === undefined)
    throw new WhetstoneError('invalid-input', 'This run holds out no pairs, so there are none to inspect.', {
      where: run.runId,
      hint: 'Only a reward model that learned from pairs has an inspection.',
    });
  return { pairs };
};
