/** Arenas of a plan: whose budget each pull was, and what a person decides about candidates meanwhile. */
import {
  allocation,
  standings,
  type Added,
  type ArmDecision,
  type PlannedPlan,
  type PlannedPull,
} from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { CandidateMode } from '../../engine/schema/plan.ts';
import type { StoredDecision, StoredPlan } from '../store/plans.ts';
import { storedOf } from './facts.ts';

/** An arena with the ids of all its pulls; `before` and `arms` are those of its last one. */
export interface PlannedArena extends PlannedPull {
  readonly pulls: readonly string[];
}

export const arenasOf = ({ nodes }: PlannedPlan): readonly PlannedArena[] => {
  const found = new Map<string, PlannedArena>();
  for (const node of nodes)
    if (node.kind === 'run' && node.pull)
      found.set(node.pull.arena, { ...node.pull, pulls: [...node.pull.before, node.id] });
  return [...found.values()];
};

/** Candidates that were added to the arenas of a plan. */
export function addedTo({ decisions }: Pick<StoredPlan, 'decisions'>): Added {
  const added = new Map<string, { id: string; code: string }[]>();
  for (const { arena, candidate, code } of decisions)
    if (code !== null) added.set(arena, [...(added.get(arena) ?? []), { id: candidate, code }]);
  return added;
}

export const decisionsOn = (
  { decisions }: Pick<StoredPlan, 'decisions'>,
  { arena, arms }: Pick<PlannedPull, 'arena' | 'arms'>,
): readonly ArmDecision[] =>
  decisions.flatMap(({ arena: of, at, candidate, mode }) => {
    const arm = arms.findIndex(({ id }) => id === candidate);
    return of === arena && arm >= 0 ? [{ at, arm, mode }] : [];
  });

/** True of a budget that a decision holds from: who gets it is open again, though a run was begun for it. */
export const isReopened = (
  { decisions }: Pick<StoredPlan, 'decisions'>,
  plan: PlannedPlan,
  node: string,
): boolean =>
  arenasOf(plan).some(({ arena, pulls }) => {
    const at = pulls.indexOf(node);
    return decisions.some((decision) => decision.arena === arena && decision.at === at);
  });

/** The candidate of each pull that has these values, and of the next one. A run without one counts as the worst. */
export function chosenIn(
  stored: Pick<StoredPlan, 'decisions'>,
  pull: Omit<PlannedPull, 'before'>,
  values: readonly (number | undefined)[],
): readonly number[] {
  const { rule, own } = pull;
  const [worst, best] = rule.range;
  const rewards = values.map((value = worst) => {
    const share = (value - worst) / (best - worst);
    return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  });
  return allocation(rule.rule, own, rewards, rule, decisionsOn(stored, pull));
}

export interface Wish {
  readonly arena?: string;
  readonly candidate: string;
  readonly mode: CandidateMode;
  /** Of a candidate to add: its reward's code. */
  readonly code?: string;
  /** Of a candidate to add: the one whose policy it begins from. */
  readonly origin?: string;
}

const absent = (what: string, where: string, known: readonly string[]): WhetstoneError =>
  new WhetstoneError('not-found', what, { where, hint: `There are: ${known.join(', ') || 'none'}.` });

/** The arena that is meant: of this id, or the only one. */
export function arenaIn(plan: PlannedPlan, id: string | undefined): PlannedArena {
  const all = arenasOf(plan);
  const ids = all.map(({ arena }) => arena);
  if (all.length === 0)
    throw new WhetstoneError('invalid-input', 'The plan has no arena.', { where: 'arena' });
  if (id === undefined && all.length > 1)
    throw new WhetstoneError('invalid-input', 'The plan has several arenas.', {
      where: 'arena',
      hint: `Name one of: ${ids.join(', ')}.`,
    });
  const found = all.find(({ arena }) => id === undefined || arena === id);
  if (!found) throw absent(`The plan has no arena '${id}'.`, 'arena', ids);
  return found;
}

/** Most candidates of an arena, as in a file. */
const MOST = 32;

/** Throws `invalid-input` for a name that no decision could use, `conflict` for one candidate too many. */
const requireRoom = ({ arms }: PlannedArena, candidate: string): void => {
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(candidate))
    throw new WhetstoneError('invalid-input', 'A name has letters, digits, - and _.', { where: 'candidate' });
  if (arms.length >= MOST)
    throw new WhetstoneError('conflict', `An arena has at most ${MOST} candidates.`, { where: 'candidate' });
};

/**
 * The decision to store, which holds from the next pull on that begins; null if it changes nothing. Throws if the
 * candidate is unknown or its name taken (`candidate`), if none would be left, or if no budget is.
 */
export function decisionFor(
  stored: StoredPlan,
  plan: PlannedPlan,
  failed: ReadonlySet<string>,
  { arena: name, candidate, mode, code, origin }: Wish,
): StoredDecision | null {
  const arena = arenaIn(plan, name);
  const ids = arena.arms.map(({ id }) => id);
  const arm = ids.indexOf(candidate);
  if (code === undefined && arm < 0)
    throw absent(`The arena has no candidate '${candidate}'.`, 'candidate', ids);
  if (code !== undefined && arm >= 0)
    throw new WhetstoneError('conflict', `The arena has a candidate '${candidate}' already.`, {
      where: 'candidate',
      hint: 'Choose another name.',
    });
  const at = arena.pulls.findIndex((id) => {
    const own = storedOf(stored, id);
    return own === undefined || own.error !== null || (own.runId !== null && failed.has(own.runId));
  });
  if (at < 0)
    throw new WhetstoneError('conflict', 'All budgets of the arena are handed out.', { where: 'arena' });
  if (code !== undefined) requireRoom(arena, candidate);
  const earlier = decisionsOn(stored, arena);
  // an earlier decision may hold from a later budget on, if one that was begun has failed
  const moments = [at, ...earlier.map((one) => one.at).filter((each) => each > at)];
  const modeAt = (when: number) => standings(arena.own, earlier, when).get(arm)?.mode;
  if (code === undefined && moments.every((when) => modeAt(when) === mode)) return null;
  const later = code === undefined ? [...earlier, { at, arm, mode }] : earlier;
  const isNobodyLeft = (when: number) =>
    [...standings(arena.own, later, when).values()].every((each) => each.mode === 'paused');
  if (code === undefined && moments.some(isNobodyLeft))
    throw new WhetstoneError('conflict', 'No candidate would be left to train.', {
      where: 'candidate',
      hint: 'Free or add another one first, or stop the plan.',
    });
  return { arena: arena.arena, at, candidate, mode, code: code ?? null, origin: origin ?? null };
}
