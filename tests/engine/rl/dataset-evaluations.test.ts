import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { promptIdOf } from '../../../engine/data/index.ts';
import { splitOf } from '../../../engine/data/split.ts';
import { checkSpec } from '../../../engine/index.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { likelihoodMeasures, writerPairMeasures } from '../../../engine/rl/evaluation/dataset-measures.ts';
import { needOf } from '../../../engine/rl/tools/preflight.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { Demonstration, Preference } from '../../../engine/schema/preference.ts';
import type { FurtherEvaluation, RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { makeTokenizer } from '../../../engine/text/load.ts';
import { metricName } from '../../../preload/wire/metric-names.ts';
import { caught, rejected } from '../../support/errors.ts';
import { fixedModel } from '../../support/fixed-model.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { found, lastCheckpoint, noResources, runInto, runToy, type Seen } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const letters = 'abcd';
/** Sums of two letters, 16 prompts: a right answer and a wrong one to each. */
const rows: Demonstration[] = Array.from({ length: 16 }, (_, i) => {
  const prompt = `${letters[i >> 2]}${letters[i & 3]}=`;
  const reference = String((i >> 2) + (i & 3));
  return { promptId: promptIdOf(prompt), prompt, answer: reference, reference, correct: true };
});
const pairs: Preference[] = rows.map(({ promptId, prompt, answer }, i) => ({
  pairId: `p${i}`,
  promptId,
  prompt,
  a: answer,
  b: `${answer}9`,
  verdict: 'a',
  correctA: true,
  correctB: false,
}));

/** Files of the run's dataset `mine`, and of the evaluations by name. */
const filesOf = (
  evaluations: { readonly [name: string]: readonly object[] },
  mine: readonly object[] = rows,
): Resources => {
  const folder = temporaryFolder();
  const write = (name: string, lines: readonly object[]): string => {
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  };
  return {
    ...noResources,
    datasets: { mine: write('mine', mine) },
    evaluations: Object.fromEntries(
      Object.entries(evaluations).map(([name, lines]) => [name, write(`evaluation ${name}`, lines)]),
    ),
  };
};

const spec = (evaluations: RunSpecInput['evaluations'], more: Partial<RunSpecInput> = {}): RunSpecInput => ({
  method: { id: 'grpo', params: { groupSize: 4 } },
  task: { kind: 'dataset', datasetId: 'mine', heldout: 0.5 },
  rewards: [{ id: 'match/numeric' }],
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 12 },
      tokenizer: { kind: 'characters' },
    },
  },
  sampling: { maxTokens: 3 },
  budget: { steps: 4, batch: 2 },
  evaluation: { problems: 50, samples: 3 },
  optimizer: { learningRate: 3e-3 },
  evaluations,
  ...more,
});

describe('measures of fixed distributions', () => {
  // the tokens of the tokenizer for `ab`, whose probabilities after every text are these
  const tokenizer = makeTokenizer({ kind: 'characters' }, ['ab'], ['ab']);
  const [a, b] = ['a', 'b'].map((letter) => tokenizer.encode(letter)[0]);
  const logOf = (probabilities: { readonly [token: number]: number }): number[] =>
    Array.from({ length: tokenizer.vocabulary }, (_, v) => Math.log(probabilities[v] ?? 1e-12));
  const model = (onA: number, onB: number) =>
    liveModel(device, fixedModel(logOf({ [a]: onA, [b]: onB, [tokenizer.end]: 1 - onA - onB })));
  const example = (prompt: string, answer: string) => ({ promptId: prompt, prompt, answer });

  test('likelihood: loss per token, end included, and perplexity; the interval resamples prompts', async () => {
    const examples = [example('a', 'a'), example('a', 'ab'), example('b', 'bb')];
    const { loss, perplexity } = await likelihoodMeasures(model(0.5, 0.25), examples, { tokenizer, seed: 0 });
    // tokens: a·end, ab·end, bb·end
    const nats = [Math.log(0.5 * 0.25), Math.log(0.5 * 0.25 * 0.25), Math.log(0.25 ** 3)];
    const byHand = -(nats[0] + nats[1] + nats[2]) / 8;
    expect(loss.value).toBeCloseTo(byHand, 5);
    expect(perplexity.value).toBeCloseTo(Math.exp(byHand), 4);
    // of two prompts, a resample has one of them alone or both
    expect(loss.interval?.[0]).toBeCloseTo(-(nats[0] + nats[1]) / 5, 5);
    expect(loss.interval?.[1]).toBeCloseTo(-nats[2] / 3, 5);
    expect(perplexity.interval?.[1]).toBeCloseTo(Math.exp(-nats[2] / 3), 4);
  });

  test('pairs: the likelier answer, and the implicit reward over the initial model', async () => {
    const pair = (pairId: string, right: string, wrong: string): Preference => ({
      pairId,
      promptId: pairId,
      prompt: 'a',
      a: right,
      b: wrong,
      verdict: 'a',
      correctA: true,
      correctB: false,
    });
    const own = [pair('1', 'a', 'b'), pair('2', 'b', 'a'), pair('3', 'b', 'bb')];
    const measured = await writerPairMeasures(
      own,
      { model: model(0.5, 0.25), initial: model(0.7, 0.1) },
      { tokenizer, seed: 0 },
    );
    // a is likelier than b, and b than bb
    expect(measured.likelihood_accuracy.value).toBeCloseTo(2 / 3, 12);
    // a lost and b gained: log 5/7 and log 5/2, the end log 5/4
    expect(measured.accuracy.value).toBeCloseTo(1 / 3, 12);
    const [onA, onB] = [Math.log(5 / 7), Math.log(5 / 2)];
    expect(measured.margin.value).toBeCloseTo((onA - onB + (onB - onA) - onB) / 3, 4);
    const unmoved = await writerPairMeasures(
      own,
      { model: model(0.5, 0.25), initial: null },
      { tokenizer, seed: 0 },
    );
    expect(Object.keys(unmoved)).toEqual(['likelihood_accuracy']);
  });
});

const last = (seen: readonly Seen[], name: string): number | undefined =>
  seen.findLast((event) => event.type === 'metrics' && name in event.values)?.type === 'metrics'
    ? found(seen, name)
    : undefined;

describe('a dataset as an evaluation', () => {
  test('answers to the held-out rows of the run’s own dataset are as in its own evaluation', async () => {
    const own = { name: 'own', datasetId: 'mine', problems: 50, samples: 3 };
    const seen = await runToy(device, checkSpec(spec([own])), { resources: filesOf({ own: rows }) });
    expect(found(seen, 'eval/own/pass_at_1')).toBe(found(seen, 'eval/pass_at_1'));
    expect(found(seen, 'eval/own/gold')).toBe(found(seen, 'eval/gold'));
    expect(found(seen, 'eval/own/mean_length')).toBe(found(seen, 'eval/completions/mean_length'));
    expect(last(seen, 'eval/own/trained_on')).toBeUndefined();
  });

  test('several at once, with explained metrics; rows that are trained on are marked', async () => {
    const heldout = rows.filter(({ promptId }) => splitOf(promptId, 0.5) === 'heldout');
    const [, ...trained] = rows.filter(({ promptId }) => splitOf(promptId, 0.5) !== 'heldout');
    const evaluations: FurtherEvaluation[] = [
      { name: 'nll', datasetId: 'other', measure: 'likelihood', problems: 100, samples: 4 },
      { name: 'ranks', datasetId: 'other', measure: 'pairs', problems: 100, samples: 4 },
      { name: 'sums', datasetId: 'other', problems: 3, samples: 2 },
    ];
    const wrong = { ...rows[0], answer: 'zz', correct: false };
    const seen = await runToy(device, checkSpec(spec(evaluations)), {
      resources: filesOf({ nll: [...trained, ...heldout, wrong], ranks: pairs, sums: heldout }),
    });
    const share = trained.length / (trained.length + heldout.length);
    expect(found(seen, 'eval/nll/trained_on')).toBeCloseTo(share, 12);
    expect(found(seen, 'eval/nll/perplexity')).toBeCloseTo(Math.exp(found(seen, 'eval/nll/loss')), 9);
    expect(last(seen, 'eval/sums/trained_on')).toBeUndefined();
    expect(found(seen, 'eval/ranks/accuracy')).toBeGreaterThanOrEqual(0);
    const names = seen.flatMap((event) => (event.type === 'metrics' ? Object.keys(event.values) : []));
    expect(names.filter((name) => metricName(name) === undefined)).toEqual([]);
  });

  test('demonstrations and pairs give the numbers of the run’s own evaluation', async () => {
    const [sft, dpo] = [
      await runToy(
        device,
        checkSpec(
          spec([{ name: 'own', datasetId: 'mine', measure: 'likelihood' }], {
            method: { id: 'sft' },
            rewards: [],
          }),
        ),
        { resources: filesOf({ own: rows }) },
      ),
      await runToy(
        device,
        checkSpec(
          spec([{ name: 'own', datasetId: 'mine', measure: 'pairs' }], {
            method: { id: 'dpo' },
            rewards: [],
          }),
        ),
        { resources: filesOf({ own: pairs }, pairs) },
      ),
    ];
    expect(found(sft, 'eval/own/loss')).toBeCloseTo(found(sft, 'eval/loss'), 6);
    expect(found(dpo, 'eval/own/accuracy')).toBe(found(dpo, 'eval/rewards/accuracies'));
    expect(found(dpo, 'eval/own/margin')).toBeCloseTo(found(dpo, 'eval/rewards/margins'), 6);
  });

  test('a reward model ranks pairs of other datasets', async () => {
    const evaluations = [{ name: 'own', datasetId: 'mine' }];
    const checked = checkSpec(
      spec(evaluations, { method: { id: 'bradley-terry', params: { trunk: 'trained' } }, rewards: [] }),
    );
    expect(checked.evaluations?.[0].measure).toBe('pairs');
    const seen = await runToy(device, checked, { resources: filesOf({ own: pairs }, pairs) });
    expect(found(seen, 'eval/own/accuracy')).toBe(found(seen, 'eval/accuracy'));
  });

  test('a resumed run measures the same', async () => {
    const evaluations: RunSpecInput['evaluations'] = [
      { name: 'nll', datasetId: 'other', measure: 'likelihood' },
      { name: 'sums', datasetId: 'other', samples: 2 },
    ];
    const checked = checkSpec(
      spec(evaluations, { checkpoints: { every: 2 }, evaluation: { every: 2, problems: 4, samples: 2 } }),
    );
    const resources = filesOf({ nll: rows, sums: rows });
    const whole = await runInto(device, checked, temporaryFolder(), { resources });
    const outDir = temporaryFolder();
    const first = await runInto(device, checked, outDir, { resources, stopAfter: 2 });
    const rest = await runInto(device, checked, outDir, {
      resources,
      attempt: 2,
      resumeFrom: lastCheckpoint(first.seen),
    });
    for (const name of ['eval/nll/loss', 'eval/sums/pass_at_1', 'eval/sums/mean_length'])
      expect(found(rest.seen, name), name).toBe(found(whole.seen, name));
  });

  test('rows beyond the context are left out and counted, in the estimate as well', async () => {
    const long = { ...rows[0], answer: '1'.repeat(40) };
    const checked = checkSpec(spec([{ name: 'nll', datasetId: 'other', measure: 'likelihood' }]));
    const resources = filesOf({ nll: [...rows.slice(0, 4), long] });
    const seen = await runToy(device, checked, { resources });
    expect(found(seen, 'data/too_long/evaluations')).toBe(1);
    expect((await needOf(checked, resources)).tooLong).toBe(1);
  });

  test.each<[string, Partial<FurtherEvaluation>, readonly object[], string]>([
    ['all rows too long', { measure: 'likelihood' }, [{ ...rows[0], answer: '1'.repeat(40) }], 'fits'],
    ['no rows', { measure: 'likelihood' }, [], 'no answer'],
    ['prompts without an answer', { measure: 'likelihood' }, [{ ...rows[0], answer: '' }], 'no answer'],
    ['no pairs', { measure: 'pairs' }, [], 'no pair'],
    ['no prompts', {}, [], 'no prompt'],
  ])('%s: refused when it is opened, with the field', async (_, own, lines, message) => {
    const checked = checkSpec(spec([{ name: 'x', datasetId: 'other', ...own }]));
    const error = await rejected(runToy(device, checked, { resources: filesOf({ x: lines }) }));
    expect(error).toMatchObject({ kind: 'invalid-input', where: 'evaluations.0.datasetId' });
    expect(error.message).toContain(message);
  });

  test('rows without a reference that the scorer needs: refused with the row', async () => {
    const checked = checkSpec(spec([{ name: 'x', datasetId: 'other' }]));
    const resources = filesOf({ x: [rows[0], { ...rows[1], reference: null }] });
    expect(await rejected(runToy(device, checked, { resources }))).toMatchObject({
      kind: 'invalid-input',
      where: expect.stringContaining('evaluation x.jsonl:2: reference'),
    });
  });

  test('the scorer is filled in, and another one may be named', () => {
    const ofRun = checkSpec(spec([{ name: 'x', datasetId: 'other' }])).evaluations?.[0];
    expect(ofRun).toMatchObject({ measure: 'answers', scorer: { id: 'match/numeric' } });
    const own = checkSpec(spec([{ name: 'x', datasetId: 'other', scorer: { id: 'match/exact' } }]));
    expect(own.evaluations?.[0].scorer?.id).toBe('match/exact');
  });

  const other = { name: 'x', datasetId: 'other' };
  const world = { id: 'toy/copy' };
  test.each<[string, readonly Partial<FurtherEvaluation>[], Partial<RunSpecInput>, string]>([
    ['neither world nor dataset', [{ name: 'x' }], {}, 'world'],
    ['both', [{ ...other, world: { ...world, params: {} } }], {}, 'datasetId'],
    ['a part of a world', [{ name: 'x', world: { ...world, params: {} }, part: 'test' }], {}, 'part'],
    ['pairs of a world', [{ name: 'x', world: { ...world, params: {} }, measure: 'pairs' }], {}, 'measure'],
    ['the first wrong line of a dataset', [{ ...other, measure: 'first-error' }], {}, 'measure'],
    [
      'a scorer of likelihoods',
      [{ ...other, measure: 'likelihood', scorer: { id: 'match/exact', params: {} } }],
      {},
      'scorer',
    ],
    ['a scorer that is not there', [{ ...other, scorer: { id: 'none', params: {} } }], {}, 'scorer.id'],
    ['a scorer that needs a world', [{ ...other, scorer: { id: 'verifier', params: {} } }], {}, 'scorer.id'],
    ['answers without a scorer', [other], { method: { id: 'sft' }, rewards: [] }, 'scorer'],
    [
      'answers of a reward model',
      [{ ...other, measure: 'answers' }],
      { method: { id: 'bradley-terry' }, rewards: [] },
      'measure',
    ],
    [
      'the run’s own dataset, of which nothing is held out',
      [{ name: 'x', datasetId: 'mine', measure: 'likelihood' }],
      { task: { kind: 'dataset', datasetId: 'mine', heldout: 0 } },
      'datasetId',
    ],
  ])('refuses %s', (_, evaluations, more, field) => {
    const given = spec(evaluations as RunSpecInput['evaluations'], more);
    expect(caught(() => checkSpec(given))).toMatchObject({
      kind: 'invalid-input',
      where: `evaluations.0.${field}`,
    });
  });
});
