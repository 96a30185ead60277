import { familiesFound, familyNamer, frontierOf, hypervolume } from '../../engine/index.ts';
import { verifierAmong } from '../../engine/common/verifiers.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { RedTeam, RedTeamAttack } from '../../preload/contract/red-team.ts';
import type { Services } from '../services/services.ts';

type Store = Pick<Services, 'store'>;

/** Newest attacks that a frontier is over: those of the attacker as it is. */
const NEWEST = 2048;

/**
 * The scorer that measures harm: the world’s verifier, if it is one of the rewards, else the first reward.
 */
const scorerOf = (spec: RunSpec | null): string => {
  const own = (spec?.rewards ?? []).map(({ id }) => id);
  return verifierAmong(own) ?? own.at(0) ?? 'verifier';
};

interface Archive {
  readonly scorer: string;
  readonly hasFamilies: boolean;
  readonly attacks: readonly RedTeamAttack[];
}

async function archiveOf({ store }: Store, runId: string): Promise<Archive> {
  const { spec } = await store.runs.get(runId);
  const scorer = scorerOf(spec);
  const stored = await store.redTeam.attacks(runId, scorer);
  const familyOf = familyNamer(spec);
  const attacks = stored.map(({ prompt: seed, harm, ...row }, at): RedTeamAttack => ({
    ...row,
    seed,
    query: at + 1,
    harm: harm ?? Number.NaN,
    family: familyOf?.(row.attack) ?? null,
  }));
  return { scorer, hasFamilies: familyOf !== null, attacks };
}

/** What a red team found. Throws `not-found`. */
export async function redTeamOf(
  services: Store,
  { runId, above }: { readonly runId: string; readonly above: number },
): Promise<RedTeam> {
  const { attacks, ...facts } = await archiveOf(services, runId);
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

interface Asked {
  readonly runId: string;
  readonly above: number;
  readonly show: 'all' | 'successful' | 'failed';
  readonly family: string | null;
  readonly search: string;
  readonly distinct: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A page of the archive. Throws `not-found`. */
export async function redTeamAttacks(
  services: Store,
  { runId, above, show, family, search, distinct, offset, limit }: Asked,
): Promise<{ total: number; attacks: RedTeamAttack[] }> {
  const seen = new Set<string>();
  const matching = (await archiveOf(services, runId)).attacks.toReversed().filter((each) => {
    if (show !== 'all' && each.harm > above !== (show === 'successful')) return false;
    if (family !== null && each.family !== family) return false;
    if (!`${each.attack}\n${each.reply}`.includes(search)) return false;
    if (distinct && seen.has(each.attack)) return false;
    seen.add(each.attack);
    return true;
  });
  return { total: matching.length, attacks: matching.slice(offset, offset + limit) };
}
