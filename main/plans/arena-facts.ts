import { arenaRules, standings } from '../../engine/index.ts';
import { readResult } from '../../engine/schema/results.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Arena, ArenaCandidate } from '../../preload/contract/plans.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { StoreClient } from '../store/client.ts';
import { arenasOf, chosenIn, decisionsOn, type PlannedArena, type Wish } from './arena.ts';
import { storedOf, type Known } from './facts.ts';

/** The arenas of a plan: what each candidate got and reached, in the order of the file. */
export const arenaFacts = (store: StoreClient, known: Known): Promise<Arena[]> =>
  Promise.all(arenasOf(known.plan).map((arena) => factsOf(store, known, arena)));

async function factsOf(store: StoreClient, known: Known, arena: PlannedArena): Promise<Arena> {
  const { rule, arms, own, pulls } = arena;
  const runs = pulls.map((id) => known.runs.get(storedOf(known.stored, id)?.runId ?? ''));
  const begun = runs.findIndex((run) => run?.state !== 'done');
  const done = (begun < 0 ? runs : runs.slice(0, begun)) as readonly Run[];
  const valueOf = (run: Run): number | undefined => known.evaluations.get(run.id)?.[rule.metric];
  const values = done.map(valueOf);
  const chosen = chosenIn(known.stored, arena, values);
  const now = runs[done.length];
  const live = now && isLive(now) ? chosen[done.length] : null;
  const added = known.stored.decisions.filter(({ arena: of, code }) => of === arena.arena && code !== null);
  const standing = standings(own, decisionsOn(known.stored, arena), Infinity);
  const candidates = await Promise.all(
    arms.map(async ({ id, spec }, arm): Promise<ArenaCandidate> => {
      const mine = done.filter((_run, at) => chosen[at] === arm);
      const last = mine.at(-1);
      return {
        id,
        code: codeOf(spec),
        origin: added.find(({ candidate }) => candidate === id)?.origin ?? null,
        mode: standing.get(arm)?.mode ?? 'free',
        isLive: live === arm,
        isLeading: false,
        updates: mine.reduce((sum, run) => sum + run.step, 0),
        scores: mine.map((run) => valueOf(run) ?? null),
        interval: last && rule.metric === 'pass_at_1' ? await intervalOf(store, last) : null,
        runId: (live === arm ? now : last)?.id ?? null,
      };
    }),
  );
  const leader = leaderOf(candidates, rule.range);
  return {
    id: arena.arena,
    rule: arenaRules.find(({ id }) => id === rule.rule)?.title ?? rule.rule,
    metric: rule.metric,
    range: rule.range,
    budgets: pulls.length,
    candidates: candidates.map((each) => ({ ...each, isLeading: each.id === leader })),
    pulls: done.map((_run, at) => ({ candidate: arms[chosen[at]].id, value: values[at] ?? null })),
    oracle: oracleOf(known, arena),
  };
}

/** The code of a reward that is one snippet; null for any other. */
function codeOf(spec: Readonly<Record<string, unknown>>): string | null {
  const rewards = spec.rewards as readonly { id?: unknown; params?: { code?: unknown } }[] | undefined;
  const [only, ...others] = rewards ?? [];
  const code = only?.id === 'snippet' && others.length === 0 ? only.params?.code : undefined;
  return typeof code === 'string' ? code : null;
}

async function intervalOf(store: StoreClient, { id }: Run): Promise<ArenaCandidate['interval']> {
  const found = await store.results.newest(id, 'evaluation');
  return found === null ? null : readResult('evaluation', found.value).passAt1Interval;
}

/** The candidate whose newest value is the best, the first of equal ones. */
function leaderOf(candidates: readonly ArenaCandidate[], [worst, best]: Arena['range']): string | null {
  const sign = Math.sign(best - worst);
  const ranked = candidates.flatMap(({ id, scores }) => {
    const newest = scores.at(-1) ?? null;
    return newest === null ? [] : [{ id, value: sign * newest }];
  });
  return ranked.toSorted((a, b) => b.value - a.value)[0]?.id ?? null;
}

/** The best value that can be reached: as it is given, or the best of the named runs so far. */
function oracleOf({ stored, evaluations }: Known, { oracle, rule }: PlannedArena): number | null {
  if (typeof oracle === 'number') return oracle;
  const reached = (oracle ?? []).flatMap((id) => {
    const value = evaluations.get(storedOf(stored, id)?.runId ?? '')?.[rule.metric];
    return value === undefined ? [] : [value];
  });
  if (reached.length === 0) return null;
  return rule.range[1] > rule.range[0] ? Math.max(...reached) : Math.min(...reached);
}

/**
 * Checks the candidate that a new one begins from. Throws `invalid-input` if none is added, `not-found` for an unknown
 * one, `conflict` for one that has trained nothing yet.
 */
export function requirePolicy(arenas: readonly Arena[], { arena, code, origin }: Wish): void {
  if (code === undefined)
    throw new WhetstoneError('invalid-input', 'Only a candidate that is added begins from another.', {
      where: 'origin',
    });
  const candidates = arenas.flatMap(({ id, candidates: own }) =>
    arena === undefined || id === arena ? own : [],
  );
  const found = candidates.find(({ id }) => id === origin);
  if (!found)
    throw new WhetstoneError('not-found', `The arena has no candidate '${origin}'.`, {
      where: 'origin',
      hint: `There are: ${candidates.map(({ id }) => id).join(', ')}.`,
    });
  if (found.scores.length === 0)
    throw new WhetstoneError(
      'conflict',
      `The candidate '${origin}' has no policy yet: none of its budgets is done.`,
      {
        where: 'origin',
        hint: 'Wait for one, or leave it out to begin where the others began.',
      },
    );
}
