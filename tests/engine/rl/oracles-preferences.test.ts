import { describe, expect, test } from 'vitest';
import { sum, weighted, type Objective } from '../../../engine/rl/kernel/objective.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { broadcast, gatherTable, type Table } from '../../../engine/rl/kernel/rows.ts';
import {
  lossAndGradient,
  oracleAnswers,
  oracleRows,
  readOracle,
  type Oracle,
} from '../../support/objective-oracle.ts';

const oracle = readOracle<
  Oracle & { readonly referenceLogp: number[][]; readonly contrast: number[][]; readonly rewards: number[] }
>('preferences');
const R = oracle.lengths.length;
const answers = oracleAnswers(oracle);
const table: Table = {
  ...answers,
  weight: new Float64Array(R).fill(1),
  'logp/initial': oracleRows(oracle, oracle.referenceLogp),
  pairId: Float64Array.from(oracle.lengths, (_, r) => r >> 1),
  chosen: Float64Array.from(oracle.lengths, (_, r) => 1 - (r & 1)),
  agreement: new Float64Array(R).fill(1),
  'reward/total': Float64Array.from(oracle.rewards),
  advantage: broadcast(oracle.rewards, answers.mask),
};

const pointed = (point: number): Table => ({
  ...table,
  'row/reference-point': new Float64Array(R).fill(point),
});
const tables: { readonly [name: string]: Table } = {
  'kto/0.3': pointed(0.4),
  'kto/0.3/below': pointed(0),
  xpo: { ...table, 'row/initial': Float64Array.of(0, 1, 0, 1, 0, 1) },
  'fresh kl': { ...table, 'row/fresh': Float64Array.of(0, 0, 1, 1, 1, 1) },
  'token rewards': { ...table, 'credit/contrast': oracleRows(oracle, oracle.contrast) },
};

const { hingeLoss, logisticLoss, squaredLoss, ratioMargin, plainMargin } = part;
const cases: { readonly [name: string]: Objective } = {
  'ratio/sigmoid/0.1': ratioMargin({ beta: 0.1, loss: logisticLoss() }),
  'ratio/hinge/0.5': ratioMargin({ beta: 0.5, loss: hingeLoss() }),
  'ratio/ipo/0.1': ratioMargin({ average: 'mean', loss: squaredLoss({ target: 5 }) }),
  'ratio/ipo/1': ratioMargin({ average: 'mean', loss: squaredLoss({ target: 0.5 }) }),
  'plain/sigmoid/0.5': plainMargin({ beta: 0.5, loss: logisticLoss() }),
  'plain/sigmoid/0.5/smoothing 0.1': plainMargin({ beta: 0.5, loss: logisticLoss({ smoothing: 0.1 }) }),
  'plain/hinge/1': plainMargin({ loss: hingeLoss() }),
  'plain/hinge/delta 3': plainMargin({ loss: hingeLoss({ target: 3 }) }),
  'plain/simpo/2/1': plainMargin({ beta: 2, average: 'mean', loss: logisticLoss({ target: 1 }) }),
  'plain/simpo/2/1/smoothing 0.1': plainMargin({
    beta: 2,
    average: 'mean',
    loss: logisticLoss({ target: 1, smoothing: 0.1 }),
  }),
  'odds/1': plainMargin({ average: 'mean', score: part.logOdds, loss: logisticLoss() }),
  'kto/0.3': part.prospectValue({ beta: 0.3, wanted: 1, unwanted: 1.5 }),
  'kto/0.3/below': part.prospectValue({ beta: 0.3, wanted: 1, unwanted: 1 }),
  'triples/sigmoid': sum(
    plainMargin({ unit: 3, beta: 0.5, loss: logisticLoss() }),
    weighted(0.7, part.likelihoodOf({ side: 2, unit: 3, average: 'token' })),
  ),
  'triples/length': sum(
    plainMargin({ unit: 3, beta: 2, average: 'mean', loss: logisticLoss({ target: 0.6 }) }),
    weighted(0.3, part.likelihoodOf({ side: 2, unit: 3, average: 'token' })),
  ),
  segments: plainMargin({ beta: 0.4, discount: 0.9, pessimism: 0.5, loss: logisticLoss() }),
  xpo: sum(part.logisticMargin({ beta: 0.3 }), weighted(0.2, part.optimism)),
  'fresh kl': part.freshKl,
  'token rewards': part.contrastRewards({ beta: 0.5 }),
  'likelihood of chosen/token': part.likelihoodOf({ side: 0, average: 'token' }),
  'likelihood of chosen/sequence': part.likelihoodOf({ side: 0, average: 'sequence' }),
};

describe('objectives over preferences equal TRL’s on one fixed batch', () => {
  test('every case of the file is asked', () =>
    expect(Object.keys(cases).sort()).toEqual(Object.keys(oracle.cases).sort()));
  test.each(Object.entries(cases))('%s', (name, objective) => {
    const wanted = oracle.cases[name];
    const { loss, gradient } = lossAndGradient(objective, tables[name] ?? table, oracle);
    // columns are float32
    expect(Math.abs(loss / wanted.loss - 1)).toBeLessThan(1e-6);
    wanted.gradient.flat().forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 5));
  });
});

test('a tie aims at the target both ways, whichever side comes first, with smoothing or without', () => {
  const tied = { ...table, agreement: new Float64Array(R).fill(0.5) };
  for (const smoothing of [0, 0.1]) {
    const { loss, gradient } = lossAndGradient(
      plainMargin({ beta: 2, average: 'mean', loss: logisticLoss({ target: 1, smoothing }) }),
      tied,
      oracle,
    );
    const swapped = Uint32Array.from(oracle.lengths, (_, r) => r ^ 1);
    const back = {
      ...oracle,
      lengths: [...swapped].map((r) => oracle.lengths[r]),
      logp: [...swapped].map((r) => oracle.logp[r]),
    };
    const other = lossAndGradient(
      plainMargin({ beta: 2, average: 'mean', loss: logisticLoss({ target: 1, smoothing }) }),
      { ...gatherTable(tied, swapped), pairId: table.pairId, chosen: table.chosen },
      back,
    );
    expect(other.loss).toBeCloseTo(loss, 9);
    expect(Array.from(gradient).some((slope) => slope !== 0)).toBe(true);
  }
});

test('a tie between segments is the same tie the other way round, however much the worse one counts', () => {
  const segments = plainMargin({ beta: 0.4, discount: 0.9, pessimism: 0.5, loss: logisticLoss() });
  const tied = { ...table, agreement: new Float64Array(R).fill(0.5) };
  const swapped = Uint32Array.from(oracle.lengths, (_, r) => r ^ 1);
  const back = {
    ...oracle,
    lengths: [...swapped].map((r) => oracle.lengths[r]),
    logp: [...swapped].map((r) => oracle.logp[r]),
  };
  const [one, other] = [
    lossAndGradient(segments, tied, oracle),
    lossAndGradient(
      segments,
      { ...gatherTable(tied, swapped), pairId: table.pairId, chosen: table.chosen },
      back,
    ),
  ];
  expect(other.loss).toBeCloseTo(one.loss, 9);
  const T = Math.max(...oracle.lengths);
  swapped.forEach((from, r) => {
    for (let t = 0; t < T; t++) expect(other.gradient[r * T + t]).toBeCloseTo(one.gradient[from * T + t], 9);
  });
});
