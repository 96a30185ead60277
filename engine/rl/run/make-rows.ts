/** Makes one batch of a role's rows: runs its stages, then applies the changes of controllers. */
import type { Columns, Need } from '../kernel/columns.ts';
import type { Table } from '../kernel/rows.ts';
import { isHooked } from '../../models/generate/rows.ts';
import { importanceWeighted, importanceRatios, imitated } from './off-policy.ts';
import { rethrowWithParameter } from './not-finite.ts';
import { runStages, type MadeRows } from './run-stages.ts';
import type { LiveRole } from './live-role.ts';
import { modelPort, stageContext, turnView, type StageScope } from './stage-context.ts';

/** Draws the role's next batch, `ahead` steps before it is learned from. */
export const makeRows = async (scope: StageScope, role: LiveRole, ahead = 0): Promise<MadeRows> => {
  const { clock, roles, device, control } = scope;
  const port = (need: Need): unknown => {
    const [kind, name, ...column] = need.split('/');
    return kind === 'buffer' ? roles.buffers.column(name, column.join('/')) : modelPort(scope, role, name);
  };
  const rows = await runStages(role.stages, port, stageContext(scope, role, ahead)).catch((error: unknown) =>
    rethrowWithParameter(role, error, { device, step: clock.nextStep }),
  );
  const { table, correction } = await correctOffPolicy(scope, role, rows.table);
  const learned = imitated(table, control.threshold(turnView(scope, role)));
  role.draws++;
  return { made: rows.made, table: learned, ...(correction && { correction }) };
};

/**
 * Corrects the credit of rows sampled by the role from another distribution than its own: at another
 * temperature, by hooks or guidance, or truncated.
 */
const correctOffPolicy = async (
  scope: StageScope,
  role: LiveRole,
  table: Table,
): Promise<Pick<MadeRows, 'table' | 'correction'>> => {
  const { control, decoding = {} } = scope;
  const turn = turnView(scope, role);
  if (
    !('advantage' in table && 'behaviorLogp' in table) ||
    role.role.ports.some((port) => port.startsWith('buffer/')) ||
    role.stages.some(({ correctsSampling }) => correctsSampling)
  )
    return { table };
  const { tokens, mask, behaviorLogp, keptLogp } = table as Pick<Columns, 'tokens' | 'behaviorLogp'> &
    Partial<Columns>;
  const isHeated = control.samplesOffPolicy && (control.temperature(turn) !== 1 || control.annealing(turn));
  const isOther = isHeated || isHooked(decoding);
  if (!isOther && !keptLogp) return { table };
  // before the filters, truncated answers are draws from the role's own distribution
  const own = isOther ? await role.live.logp(tokens, role.temperature, mask) : behaviorLogp;
  return { table: importanceWeighted(table, own), correction: importanceRatios(table, own) };
};
