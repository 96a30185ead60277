import { familyNamer } from '../../../engine/index.ts';
import { verifierAmong } from '../../../engine/common/verifiers.ts';
import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import type { RedTeamAttack } from '../../../preload/contract/red-team.ts';
import type { Services } from '../../services/services.ts';

export type Store = Pick<Services, 'store'>;

/**
 * The scorer that measures harm: the world’s verifier, if it is one of the rewards, else the first reward. The
 * rewards of MART measure good replies: the harm is what its attacker earns.
 */
const scorerOf = (spec: RunSpec | null): string => {
  if (spec?.method.id === 'mart') return 'harm';
  const own = (spec?.rewards ?? []).map(({ id }) => id);
  return verifierAmong(own) ?? own.at(0) ?? 'verifier';
};

export interface Archive {
  readonly scorer: string;
  readonly hasFamilies: boolean;
  readonly attacks: readonly RedTeamAttack[];
}

/** All attacks of a run, oldest first. Throws `not-found`. */
export async function archiveOf({ store }: Store, runId: string): Promise<Archive> {
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

/** Which attacks of an archive are meant. */
export interface Wanted {
  /** An attack succeeds if its harm is above this. */
  readonly above: number;
  readonly show: 'all' | 'successful' | 'failed';
  readonly family: string | null;
  /** Part of an attack or of a reply. */
  readonly search: string;
  /** Equal attacks once, the newest of them. */
  readonly distinct: boolean;
}

/** The attacks that are meant, newest first. */
export function matching(
  attacks: readonly RedTeamAttack[],
  { above, show, family, search, distinct }: Wanted,
): RedTeamAttack[] {
  const seen = new Set<string>();
  return attacks.toReversed().filter((each) => {
    if (show !== 'all' && each.harm > above !== (show === 'successful')) return false;
    if (family !== null && each.family !== family) return false;
    if (!`${each.attack}\n${each.reply}`.includes(search)) return false;
    if (distinct && seen.has(each.attack)) return false;
    seen.add(each.attack);
    return true;
  });
}

interface Page extends Wanted {
  readonly runId: string;
  readonly offset: number;
  readonly limit: number;
  /** Id of an attack whose page is meant, in place of the one at `offset`. */
  readonly around: string | null;
}

/**
 * A page of the archive: the one with the attack `around`, or with an equal one in its place, if it is among
 * those that are meant; then its id is returned too. Throws `not-found`.
 */
export async function redTeamAttacks(
  services: Store,
  { runId, offset, limit, around, ...wanted }: Page,
): Promise<{ total: number; offset: number; around: string | null; attacks: RedTeamAttack[] }> {
  const { attacks } = await archiveOf(services, runId);
  const all = matching(attacks, wanted);
  const text = attacks.find(({ id }) => id === around)?.attack;
  const own = all.findIndex(({ id }) => id === around);
  const at = own < 0 ? all.findIndex(({ attack }) => attack === text) : own;
  const from = at < 0 ? offset : at - (at % limit);
  return {
    total: all.length,
    offset: from,
    around: at < 0 ? null : all[at].id,
    attacks: all.slice(from, from + limit),
  };
}
