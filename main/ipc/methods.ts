import { openedWorlds, recipes, sanityResults, systemClusters, systemFacts } from '../../engine/index.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { methods, ToyOutcome } from '../../preload/contract/methods.ts';
import type { Services } from '../services/services.ts';
import { toyLimitMs } from '../use-cases/toy-runs.ts';
import { follow } from './stream.ts';

const toyOf = (id: string) => {
  const facts = sanityResults[id];
  return facts && { ...facts, result: facts.result && { ...facts.result, values: [...facts.result.values] } };
};

/** The toy runs of the methods that carry a system, by method. */
const toysOfSystems = () =>
  Object.fromEntries(
    systemFacts
      .flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'method'))
      .flatMap(({ id }) => {
        const toy = toyOf(id);
        return toy ? [[id, toy] as const] : [];
      }),
  );

export const methodsHandlers = ({ engine }: Services): Handlers<typeof methods> => ({
  atlas: () => ({
    methods: Object.fromEntries(
      Object.entries(recipes()).map(([id, { recipe, presets }]) => [
        id,
        { recipe, presets: { ...presets }, toy: toyOf(id) },
      ]),
    ),
    worlds: [...openedWorlds()],
  }),
  systems: () => ({
    systems: systemFacts.map((each) => ({ ...each, parts: [...each.parts] })),
    clusters: [...systemClusters],
    toys: toysOfSystems(),
  }),
  runToy: (input, signal) =>
    follow<{ done: number; total: number; result: ToyOutcome | null }>(
      signal,
      (_older, newer) => newer,
      (push, end) => {
        const work = new AbortController();
        const report = (progress: { done: number; total: number }): void =>
          push({ ...progress, result: null });
        engine.ask('toyRun', input, toyLimitMs, { signal: work.signal, report }).then((result) => {
          push({ done: 1, total: 1, result });
          end();
        }, end);
        return () => work.abort();
      },
    ),
  worldSample: (input) => engine.call('worldSample', input),
});
