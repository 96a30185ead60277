/** Makes one batch of a role's rows: runs its stages, then applies what controllers change of the rows. */
import type { Columns, Need } from '../kernel/columns.ts';
import type { Table } from '../kernel/rows.ts';
import { corrected, correctionOf, imitated } from './bent-rows.ts';
import { blamed } from './not-finite.ts';
import { runStages, type MadeRows } from './run-stages.ts';
import type { LiveRole, Session } from './session.ts';
import { loopOf, outlookOf, portOf } from './turn.ts';

/** Draws the role's next batch; `ahead`: so many steps before it is learned from. */
export const makeRows = async (session: Session, role: LiveRole, ahead = 0): Promise<MadeRows> => {
  const { standing, totalSteps, buffers, control } = session;
  const loop = {
    ...loopOf(session, role),
    ...(ahead > 0 && { progress: (standing.step + ahead) / totalSteps }),
  };
  const port = (need: Need): unknown => {
    const [kind, name, ...column] = need.split('/');
    return kind === 'buffer' ? buffers.get(name)?.[column.join('/')] : portOf(session, role, name);
  };
  const rows = await runStages(role.stages, port, loop).catch((error: unknown) =>
    blamed(session, role, error),
  );
  const { table, correction } = await unbent(session, role, rows.table);
  const learned = imitated(table, control.threshold(outlookOf(session, role)));
  role.draws++;
  return { made: rows.made, table: learned, ...(correction && { correction }) };
};

/**
 * Rows that the role has drawn itself, at another temperature than its own, with their credit corrected for
 * it.
 */
const unbent = async (
  session: Session,
  role: LiveRole,
  table: Table,
): Promise<Pick<MadeRows, 'table' | 'correction'>> => {
  const { control } = session;
  const outlook = outlookOf(session, role);
  if (
    !control.bends ||
    !('advantage' in table && 'behaviorLogp' in table) ||
    role.role.asks.some((port) => port.startsWith('buffer/'))
  )
    return { table };
  if (control.temperature(outlook) === 1 && !control.annealing(outlook)) return { table };
  const { tokens, mask } = table as Pick<Columns, 'tokens'> & Partial<Columns>;
  const own = await role.live.logp(tokens, role.temperature, mask);
  return { table: corrected(table, own), correction: correctionOf(table, own) };
};
