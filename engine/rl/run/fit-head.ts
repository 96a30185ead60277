/** Fits a head in closed form, on features of a frozen model. */
import { frozenFeatures } from '../compute/frozen-features.ts';
import type { Fitter, Objective } from '../kernel/objective.ts';
import type { Table } from '../kernel/rows.ts';
import { percent, type RunProgress } from './run-progress.ts';
import type { LiveRole } from './live-role.ts';
import type { Session } from './session.ts';

/** One fit and its duration in seconds; in a rehearsal, the estimated duration. */
export const fitHead = async (
  session: Pick<Session, 'run' | 'rewards' | 'device'>,
  progress: RunProgress,
  role: LiveRole,
  fit: NonNullable<Objective['fit']>,
  table: Table,
): Promise<{ readonly metrics: { readonly [metric: string]: number }; readonly seconds: number }> => {
  const { device } = session;
  const began = performance.now();
  await device.read(role.trained.flat);
  let portions = 1;
  const metrics = await progress.during('fitting the head', percent, () =>
    fit(
      table,
      fitterOf(session, progress, role, (count) => {
        portions = count;
      }),
    ),
  );
  device.changed(role.trained.flat);
  return { metrics, seconds: (portions * (performance.now() - began)) / 1000 };
};

/**
 * The inputs of a role's closed-form fit. A rehearsal computes one portion of the features, extrapolates, and
 * solves nothing.
 */
const fitterOf = (
  { rewards, run }: Pick<Session, 'run' | 'rewards'>,
  progress: RunProgress,
  { live, trained }: LiveRole,
  rehearsed: (portions: number) => void,
): Fitter => {
  const { features: folder } = run.resources;
  const { isRehearsal: rehearsal } = rewards;
  return {
    features: async (tokens, mask) => {
      const counted = { total: tokens.offsets.length - 1, of: 'rows' };
      const found = await progress.during('reading features', counted, () =>
        frozenFeatures(live, { tokens, mask }, { folder, rehearsal }),
      );
      if (rehearsal) rehearsed(found.portions);
      return found;
    },
    rehearsal,
    setHead: (weight) => trained.view('score.weight').set(weight),
  };
};
