import { familyNamer, likeFamilies } from '../../../engine/index.ts';
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

/** Characters of an attack that its family by likeness is named by. */
const NAMED_BY = 40;

/**
 * Names the family of each attack that succeeds by its likeness to earlier ones that do: a number, and the start
 * of the first attack. Null for all others, and for those like none of the first hundred families.
 */
function namedByLikeness(attacks: readonly RedTeamAttack[], above: number): RedTeamAttack[] {
  const good = attacks.filter(({ harm, attack }) => harm > above && attack !== '');
  const families = likeFamilies(good.map(({ attack }) => attack));
  const names: string[] = [];
  const named = new Map(
    good.flatMap(({ id, attack }, at) => {
      const family = families[at];
      return family < 0 ? [] : [[id, (names[family] ??= `${family + 1}: ${startOf(attack)}`)] as const];
    }),
  );
  return attacks.map((each) => ({ ...each, family: named.get(each.id) ?? null }));
}

const startOf = (text: string): string =>
  [...text].length > NAMED_BY ? `${[...text].slice(0, NAMED_BY).join('')}…` : text;

/**
 * All attacks of a run, oldest first. Families are the world’s; where it knows none, attacks whose harm is above
 * this are grouped by likeness. Throws `not-found`.
 */
export async function archiveOf({ store }: Store, runId: string, above: number): Promise<Archive> {
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
  const hasFamilies = familyOf !== null;
  return { scorer, hasFamilies, attacks: hasFamilies ? attacks : namedByLikeness(attacks, above) };
}

/** Selects attacks of an archive. */
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

/** The selected attacks, newest first. */
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
  /** Id of an attack whose page is returned instead of the page at `offset`. */
  readonly around: string | null;
}

/**
 * A page of the selected attacks: the page with the attack `around`, or with an equal one, if it is selected;
 * its id is then returned too. Throws `not-found`.
 */
export async function redTeamAttacks(
  services: Store,
  { runId, offset, limit, around, ...wanted }: Page,
): Promise<{ total: number; offset: number; around: string | null; attacks: RedTeamAttack[] }> {
  const { attacks } = await archiveOf(services, runId, wanted.above);
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
