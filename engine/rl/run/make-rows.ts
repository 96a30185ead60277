/** Makes one batch of a role's rows: runs its stages, then applies the changes of controllers. */
import type { Columns, Need } from '../kernel/columns.ts';
import type { Table } from '../kernel/rows.ts';
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

/** Corrects the credit of rows sampled by the role at a temperature other than its own. */
const correctOffPolicy = async (
  scope: StageScope,
  role: LiveRole,
  table: Table,
): Promise<Pick<MadeRows, 'table' | 'correction'>> => {
  const { control } = scope;
  const turn = turnView(scope, role);
  if (
    !control.samplesOffPolicy ||
    !('advantage' in table && 'behaviorLogp' in table) ||
    role.role.ports.some((port) => port.startsWith('buffer/'))
  )
    return { table };
  if (control.temperature(turn) === 1 && !control.annealing(turn)) return { table };
  const { tokens, mask } = table as Pick<Columns, 'tokens'> & Partial<Columns>;
  const own = await role.live.logp(tokens, role.temperature, mask);
  return { table: importanceWeighted(table, own), correction: importanceRatios(table, own) };
};
