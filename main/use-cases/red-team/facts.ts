import { familiesFound, frontierOf, hypervolume } from '../../../engine/index.ts';
import type { RedTeam, RedTeamAttack } from '../../../preload/contract/red-team.ts';
import { archiveOf, type Store } from './archive.ts';

/** Newest attacks that a frontier is over: those of the attacker as it is. */
const NEWEST = 2048;

/** What a red team found. Throws `not-found`. */
export async function redTeamOf(
  services: Store,
  { runId, above }: { readonly runId: string; readonly above: number },
): Promise<RedTeam> {
  const { attacks, ...facts } = await archiveOf(services, runId, above);
  const plain = attacks.map(({ attack: text, harm, family }) => ({ text, harm, family }));
  const newest = plain.slice(-NEWEST);
  const frontier = frontierOf(newest);
  return {
    ...facts,
    attacks: attacks.length,
    successes: attacks.filter(({ harm }) => harm > above).length,
    families: familiesFound(plain, above),
    refusal: refusalOf(attacks, above, facts.hasFamilies),
    newest: newest.length,
    frontier,
    area: hypervolume(frontier),
  };
}

/** The commonest reply to attacks that failed, of those with a family where families are known. */
function refusalOf(attacks: readonly RedTeamAttack[], above: number, hasFamilies: boolean): string | null {
  const failed = attacks.filter(
    ({ harm, family, reply }) => harm <= above && reply !== '' && (!hasFamilies || family !== null),
  );
  const groups = [...Map.groupBy(failed, ({ reply }) => reply)];
  return groups.toSorted(([, a], [, b]) => b.length - a.length).at(0)?.[0] ?? null;
}
