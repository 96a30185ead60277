/** Objectives of networks, by the file of independent numbers and the loss there that each has. */
import { readFileSync } from 'node:fs';
import * as part from '../../engine/rl/parts/index.ts';
import type { Objective } from '../../engine/rl/kernel/objective.ts';

export const readNetworkOracle = <O>(name: string): O =>
  JSON.parse(readFileSync(new URL(`./oracles/${name}.json`, import.meta.url), 'utf8')) as O;

interface Numbers {
  readonly gamma: number;
  readonly perNumber: number;
  readonly beta: number;
  readonly threshold: number;
}
const actorCritic = readNetworkOracle<Numbers>('soft-actor-critic');
const weighed = readNetworkOracle<Numbers>('replay-weights');

export const networkCases = {
  'soft-actor-critic': {
    softValues: part.softValues(actorCritic),
    softPolicy: part.softPolicy,
    entropyTarget: part.entropyTarget(actorCritic),
  },
  'replay-weights': {
    weighedSoftValues: part.weighedSoftValues(weighed),
    softStateValue: part.softStateValue({ beta: weighed.beta, rows: 5 }),
  },
  network: {
    squared: part.tdError({ loss: 'squared' }),
    huber: part.tdError({ loss: 'huber' }),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Objective>>>>;

/** The names of the losses of such a file. */
export const networkLosses = (file: keyof typeof networkCases): readonly string[] => {
  const { losses = {}, qLearning = [] } = readNetworkOracle<{
    readonly losses?: object;
    readonly qLearning?: readonly { readonly of: string }[];
  }>(file);
  return [...Object.keys(losses), ...qLearning.map(({ of }) => of)];
};
