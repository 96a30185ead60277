/** Learns from one batch of a role's rows: one update, or one closed-form fit. */
import type { Table } from '../kernel/rows.ts';
import { fitHead } from './fit-head.ts';
import type { LiveRole } from './live-role.ts';
import { rethrowWithParameter, notFinite } from './not-finite.ts';
import type { RunProgress } from './run-progress.ts';
import type { Session } from './session.ts';
import type { UpdateQueue } from './update-queue.ts';

/** The run fails with `numeric` after this many consecutive steps with a non-finite loss or gradient. */
const MOST_SKIPPED = 3;

export interface Learned {
  readonly metrics: { readonly [metric: string]: number };
  readonly seconds: number;
}

/**
 * Takes one update. A non-finite one changes nothing; too many in succession end the run. `passes`: remaining
 * epochs over these rows.
 */
export const learn = async (
  session: Pick<Session, 'run' | 'rewards' | 'clock' | 'device'>,
  { queue, progress }: { readonly queue: UpdateQueue; readonly progress: RunProgress },
  role: LiveRole,
  table: Table,
  passes: number,
): Promise<Learned> => {
  const { clock, device } = session;
  const place = { device, step: clock.nextStep };
  const fit = role.role.objective?.fit;
  if (fit) {
    const fitted = await fitHead(session, progress, role, fit, table).catch((error: unknown) =>
      rethrowWithParameter(role, error, place),
    );
    role.updates++;
    return fitted;
  }
  const {
    report: { loss, gradNorm, learningRate, skipped, metrics },
    seconds,
  } = await queue.update(role, table, passes);
  role.updates++;
  clock.countUpdate(skipped > 0);
  if (clock.skippedInRow >= MOST_SKIPPED)
    throw await notFinite(role, table, { ...place, steps: MOST_SKIPPED });
  return {
    metrics: { loss, grad_norm: gradNorm, learning_rate: learningRate, skipped, ...metrics },
    seconds,
  };
};
