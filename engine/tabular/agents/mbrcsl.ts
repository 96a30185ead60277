import { count, defineAgent } from '../kernel/agent.ts';
import { countsOf } from '../kernel/log-model.ts';
import { episodesOf, fromLog, logParams } from '../kernel/logged.ts';
import { returnsToGo, rolledOut, type Path } from '../kernel/rollouts.ts';

export const mbrcsl = defineAgent({
  id: 'mbrcsl',
  title: 'MBRCSL',
  summary:
    'Rolls out the logged behaviour in a model of the log, and imitates the trajectories that earn more than any ' +
    'logged one, by state and return to go. No value is learned.',
  cites:
    'Free from Bellman Completeness: Trajectory Stitching via Model-based Return-conditioned Supervised Learning, ' +
    'with tables; the nearest return to go is imitated',
  params: {
    ...logParams,
    rollouts: count(
      2000,
      'Trajectories from the start in the model; the log itself is imitated if none is better.',
    ),
    target: count(20, 'Best trajectories that are imitated, at most.'),
  },
  open: (setting, { rollouts, target, ...params }) =>
    fromLog(
      setting,
      params,
      (log) => {
        const { states, actions, discount } = setting;
        const counts = countsOf(setting, log);
        const logged = episodesOf(log).map((episode): Path => ({
          pairs: episode.map(({ state, action }) => state * actions + action),
          earned: episode.reduce((sum, { reward }, t) => sum + discount ** t * reward, 0),
        }));
        const best = Math.max(...logged.map(({ earned }) => earned));
        const better = Array.from({ length: rollouts }, () => rolledOut(counts, setting)).filter(
          ({ earned }) => earned > best + 1e-9,
        );
        const kept = (better.length > 0 ? better : logged)
          .toSorted((a, b) => b.earned - a.earned)
          .slice(0, target);
        // [states]: [return to go, action] of what is imitated there
        const shown = Array.from({ length: states }, (): [toGo: number, action: number][] => []);
        for (const { pairs } of kept) {
          const ahead = returnsToGo(counts, pairs, discount);
          pairs.forEach((pair, at) => shown[Math.floor(pair / actions)].push([ahead[at], pair % actions]));
        }
        // what is to be earned yet, at each step, if all goes as in the best trajectory
        const targets = returnsToGo(counts, kept[0].pairs, discount);
        return { shown, targets, better: better.length, best, reached: kept[0].earned };
      },
      ({ shown, targets }) =>
        (state, t) => {
          const wanted = targets[Math.min(t, targets.length - 1)];
          const off = ([toGo]: readonly [number, number]) => Math.abs(toGo - wanted);
          return shown[state].toSorted((a, b) => off(a) - off(b))[0]?.[1] ?? 0;
        },
      ({ better, best, reached }) => ({ better, best, reached }),
    ),
});
