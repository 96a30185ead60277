import { expect, test } from 'vitest';
import { rewards, type AnswerRow, type RewardContext, type Scorer } from '../../../engine/rewards/index.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { openStack } from '../../../engine/rewards/stack.ts';

const row = (completion: string, more: Partial<AnswerRow> = {}): AnswerRow => ({
  promptId: 'p',
  prompt: 'q',
  completion,
  tokens: completion.length + 1,
  stopReason: 'end',
  ...more,
});
const group = (...completions: string[]): AnswerRow[] =>
  completions.map((completion) => row(completion, { group: 1 }));
const open = (id: string, params: unknown = {}, given: RewardContext = {}): Promise<Scorer> => {
  const context: RewardContext = {
    reference: true,
    ...given,
    open: (inner, innerParams) => rewards.find((one) => one.id === inner)!.open(innerParams, context),
  };
  return rewards.find((one) => one.id === id)!.open(params, context);
};
const score = async (id: string, params: unknown, rows: readonly AnswerRow[], given?: RewardContext) => [
  ...(await (await open(id, params, given)).score(rows)),
];

test(
  'majority: answers that agree with most of their group earn 1; in a tie all sides earn 1; unreadable ' +
    'answers earn nothing',
  async () => {
    expect(await score('majority', {}, group('7', '8', ' 7', '9'))).toEqual([1, 0, 1, 0]);
    expect(await score('majority', {}, group('7', '8', '8', '7', '9'))).toEqual([1, 1, 1, 1, 0]);
    expect(await score('majority', { part: 'marked', mark: '#' }, group('work #7', 'other #7', '7'))).toEqual(
      [1, 1, 0],
    );
    expect(await score('majority', { part: 'marked' }, group('', 'x'))).toEqual([0, 0]);
  },
);

test('brevity: right answers lose up to the span between the shortest and the longest of them', async () => {
  const world = {
    ...openWorldById('toy/copy'),
    verify: (_: unknown, text: string) => ({ correct: !text.includes('x'), reward: 0, reason: '' }),
  };
  const rows = [...group('a', 'aaa', 'aa', 'x'), row('aaaa', { group: 2 }), row('x', { group: 2 })];
  // 2, 4 and 3 tokens: 1, 1 − span, 1 − span ⁄ 2; an only right answer is its group's shortest
  expect(await score('brevity', {}, rows, { world })).toEqual([1, 0.5, 0.75, 0, 1, 0]);
  expect(await score('brevity', { span: 0 }, rows, { world })).toEqual([1, 1, 1, 0, 1, 0]);
});

test('evol: the majority scores above every minority, and novelty ranks the answers within each', async () => {
  // bigrams, α = ½. Similarity ab–ab = 1, ab–ac = 0 and so on: computed by hand below
  const scores = await score(
    'evol',
    { part: 'last-line', size: 1, alpha: 0.5 },
    group('a\n7', 'a\n7', 'b\n7', 'a\n8', 'c\n9'),
  );
  // letters {a,\n,7} twice, {b,\n,7}, {a,\n,8}, {c,\n,9}: similarity is the share of equal letters. Majority:
  // u = 1 − ½·(mean to its two peers) − ½·(greatest): first two 1 − ½·(1 + ⅔)/2 − ½ = 1/12, third 1 − ½·⅔ −
  // ½·⅔ = ⅓. Minority: a\n8: 1 − ½·⅓ − ½·⅔ = ½; c\n9: 1 − ½·⅓ − ½·⅓ = ⅔
  expect(scores.map((value) => Math.round(value * 1e9) / 1e9)).toEqual([0.5, 0.5, 1, -1, -0.5]);
  expect(await score('evol', { part: 'marked', mark: '#' }, group('#7', 'no answer'))).toEqual([0.5, -1]);
});

test('evol: can use the similarity of the initial model’s features', async () => {
  const features: NonNullable<RewardContext['initial']>['features'] = async (rows) => ({
    width: 2,
    values: Float64Array.from(rows.flatMap(({ prompt }) => (prompt === 'x' ? [1, 0] : [0, 2]))),
  });
  const rows = ['x', 'x', 'y'].map((prompt) => row('7', { prompt, group: 0 }));
  // u = 1 − ½·½ − ½·1 for the two similar ones, 1 for the third
  expect(
    await score('evol', { likeness: 'features' }, rows, { initial: { features, answers: async () => [] } }),
  ).toEqual([0.5, 0.5, 1]);
  await expect(open('evol', { likeness: 'features' })).rejects.toMatchObject({ kind: 'unsupported' });
});

test('par: the mean of σ(r − r_ref) over the initial model’s answers, sampled once per prompt', async () => {
  let calls = 0;
  const initial: RewardContext['initial'] = {
    features: async () => ({ values: new Float64Array(0), width: 0 }),
    answers: async (rows, count) =>
      rows.flatMap((one) => {
        calls++;
        return Array.from({ length: count }, (_, at) => ({ ...one, tokens: 24 * at }));
      }),
  };
  const scorer = await open('par', { reward: { id: 'length' }, references: 3 }, { initial });
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const rows = [row('', { tokens: 24 }), row('', { tokens: 72 })];
  const expected = [1, 3].map((r) => (sigmoid(r) + sigmoid(r - 1) + sigmoid(r - 2)) / 3);
  const { value, raw } = await scorer.detail(rows);
  value.forEach((one, r) => expect(one).toBeCloseTo(expected[r], 12));
  expect([...(raw ?? [])]).toEqual([1, 3]);
  await scorer.score(rows);
  expect(calls).toBe(1);
});

test('overlong: 0, then a line down to −1', async () => {
  expect(
    await score(
      'overlong',
      { longest: 20, buffer: 8 },
      [5, 12, 14, 20, 33].map((tokens) => row('', { tokens })),
    ),
  ).toEqual([0, 0, -0.25, -1, -1].map((x) => expect.closeTo(x, 12)));
});

test('a stack opens nested rewards, and reports a missing one by name', async () => {
  await expect(
    openStack([{ id: 'par', weight: 1, params: { reward: { id: 'nowhere' } } }], {
      initial: { features: async () => ({ values: new Float64Array(0), width: 0 }), answers: async () => [] },
    }),
  ).rejects.toMatchObject({ kind: 'not-found' });
  await expect(
    openStack([{ id: 'par', weight: 1, params: { reward: { id: 'majority' } } }], {
      initial: { features: async () => ({ values: new Float64Array(0), width: 0 }), answers: async () => [] },
    }),
  ).rejects.toMatchObject({ kind: 'invalid-input', where: 'rewards: par.reward' });
});

const call = (name: string, parameters: object) => JSON.stringify({ name, parameters });
const answer = (...calls: string[]) => `<think>so</think>\n<tool_call>\n${calls.join('\n')}\n</tool_call>`;

test('tool-rules: tool names, parameter names and values, by the best matching', async () => {
  const reference = [call('add', { a: 1, b: 2 }), call('show', { it: [1, { x: 2, y: 3 }] })].join('\n');
  const of = (completion: string, params: object = {}) =>
    score('tool-rules', params, [row(completion, { reference })]);
  // greatest score: 1 (tool names) + 2 (parameter names of each call) + 3 (values) = 6, so each point counts
  // 1 in −3 … 3
  expect(await of(answer(call('show', { it: [1, { y: 3, x: 2 }] }), call('add', { a: 1, b: 2 })))).toEqual([
    1 + 3,
  ]);
  // only add, b wrong: names ½, parameter names 1, values 1 → 2.5 − 3
  expect(await of(answer(call('add', { a: 1, b: 7 })))).toEqual([expect.closeTo(1 + 2.5 - 3, 12)]);
  // one name too many: overlap ⅔ of the tools; parameters a of {a, b}: ½, one value; show has no parameters:
  // 0
  expect(await of(answer(call('add', { a: 1 }), call('show', {}), call('drop', {})))).toEqual([
    expect.closeTo(1 + 2 / 3 + 0.5 + 1 - 3, 12),
  ]);
  // invalid form with valid calls, scored for its calls, then for its form
  expect(await of(answer(call('add', { a: 1, b: 7 })).replace('<think>so</think>', ''))).toEqual([
    expect.closeTo(-0.5, 12),
  ]);
  expect(
    await of(answer(call('add', { a: 1, b: 7 })).replace('<think>so</think>', ''), {
      thoughts: false,
      calls: 0,
      form: 0.5,
    }),
  ).toEqual([0.5]);
  expect(await of(answer('{"name": add}'))).toEqual([-3]);
  expect(await of('<think>a</think><response>no</response>')).toEqual([-3]);
});

test('tool-rules: matches two calls of one tool with their own references', async () => {
  const reference = `<tool_call>${call('add', { a: 1 })}\n${call('add', { a: 2, b: 5 })}</tool_call>`;
  // most = 1 + (1 + 1) + (1 + 2) = 6. Matched crosswise: names 1, {a}–{a} 1 + value 0 … matching in order is
  // worth 1 + (1 + 1) + (½ + 1)
  expect(
    await score('tool-rules', { form: 0 }, [
      row(answer(call('add', { a: 2 }), call('add', { a: 1 })), { reference }),
    ]),
  ).toEqual([expect.closeTo(4.5 - 3, 12)]);
});

test('tool-rules: where the reference has no call, rewards a response', async () => {
  const reference = '<response>hello</response>';
  const rows = ['<think>a</think><response>hi</response>', answer(call('add', {})), 'hi'].map((completion) =>
    row(completion, { reference }),
  );
  expect(await score('tool-rules', {}, rows)).toEqual([4, -3, 3]);
  await expect(score('tool-rules', {}, [row('x', { reference: 'not a call' })])).rejects.toMatchObject({
    kind: 'invalid-input',
  });
});

/** Features given by the text: `3,4` is the vector (3, 4). */
const textFeatures: RewardContext['initial'] = {
  features: async (rows) => ({
    width: 2,
    values: Float64Array.from(rows.flatMap(({ completion }) => completion.split(',').map(Number))),
  }),
  answers: async () => [],
};

test('rep-exp: √(λ hᵀ Λ⁻¹ h) falls for repeated directions only', async () => {
  const scorer = await open('rep-exp', { ridge: 2, keep: 1 }, { initial: textFeatures });
  // two parallel and one orthogonal, lengths do not count: λ/(λ + 1) for the two, 1 for the third
  expect([...(await scorer.score(group('1,0', '5,0', '0,3')))]).toEqual(
    [Math.sqrt(2 / 3), Math.sqrt(2 / 3), 1].map((x) => expect.closeTo(x, 12)),
  );
  // afterwards Λ = 2I + diag(2, 1); of (3, 4)/5: hᵀΛ⁻¹h = 0.36/4 + 0.64/3
  expect([...(await scorer.score([row('3,4')]))]).toEqual([
    expect.closeTo(Math.sqrt(2 * (0.36 / 4 + 0.64 / 3)), 12),
  ]);
  const forgetful = await open('rep-exp', { ridge: 2, keep: 0 }, { initial: textFeatures });
  await forgetful.score([row('1,0')]);
  expect([...(await forgetful.score([row('1,0')]))]).toEqual([expect.closeTo(1, 12)]);
});

test('rep-exp: random projection keeps the similarity of wide representations on average', async () => {
  const wide = (of: (d: number, r: number) => number): RewardContext['initial'] => ({
    features: async (rows) => ({
      width: 400,
      values: Float64Array.from({ length: rows.length * 400 }, (_, at) => of(at % 400, Math.floor(at / 400))),
    }),
    answers: async () => [],
  });
  const [same] = await score('rep-exp', { dims: 64 }, group('a', 'b'), { initial: wide((d) => Math.sin(d)) });
  const [apart] = await score('rep-exp', { dims: 64 }, group('a', 'b'), {
    initial: wide((d, r) => (d % 2 === r ? Math.sin(d) : 0)),
  });
  expect(same).toBeCloseTo(Math.SQRT1_2, 9);
  // orthogonal: 1 but for the projection, whose cosine is of the order of 1 ⁄ √64
  expect(apart).toBeGreaterThan(0.95);
});

test('dynamic-weights: multiplicative updates increase the weight of the objective that lags', async () => {
  const rewards = [
    { id: 'length', params: { scale: 10 } },
    { id: 'length', params: { scale: 40 }, low: 0, high: 2 },
  ];
  const scorer = await open('dynamic-weights', { rewards, rate: 0.5, smoothing: 0, least: 0 });
  // reached: tokens/10 = 1 and tokens/40/2 = ⅛
  expect([...(await scorer.score([row('', { tokens: 10 })]))]).toEqual([
    expect.closeTo(0.5 * (1 + 1 / 8), 12),
  ]);
  const heavy = Math.exp(0.5 * (7 / 8)) / (1 + Math.exp(0.5 * (7 / 8)));
  expect([...(await scorer.score([row('', { tokens: 10 })]))]).toEqual([
    expect.closeTo(1 - heavy + heavy / 8, 12),
  ]);
  const equal = await open('dynamic-weights', { rewards, rate: 0.5, least: 1 });
  await equal.score([row('', { tokens: 10 })]);
  expect([...(await equal.score([row('', { tokens: 10 })]))]).toEqual([
    expect.closeTo(0.5 * (1 + 1 / 8), 12),
  ]);
});

test('co-reward: rewards agreement with the majority of the initial model’s answers to a rephrased prompt', async () => {
  const seen: string[] = [];
  const initial: RewardContext['initial'] = {
    features: async () => ({ values: new Float64Array(0), width: 0 }),
    answers: async (rows, count) =>
      rows.flatMap((one) => {
        seen.push(`${one.promptId}: ${one.prompt}`);
        return Array.from({ length: count }, (_, at) => ({ ...one, completion: ['7', '8', '7'][at % 3] }));
      }),
  };
  const scorer = await open('co-reward', { template: 'Say: {prompt}!', answers: 3 }, { initial });
  expect([...(await scorer.score(group('7', '8', '9')))]).toEqual([1, 0, 0]);
  await scorer.score(group('7'));
  expect(seen).toEqual(['p/reworded: Say: q!']);
  await expect(open('co-reward', { template: 'no place' }, { initial })).rejects.toMatchObject({
    kind: 'invalid-input',
  });
});

test('novelty: distance from the nearest answer of the group and the archive, before it joins the archive', async () => {
  const scorer = await open('novelty', { size: 1, nearest: 1, archive: 2 });
  expect([...(await scorer.score([row('ab')]))]).toEqual([1]);
  // letters a, b against a, c: cosine ½; against d, e: 0
  expect([...(await scorer.score([row('ac', { group: 0 }), row('de', { group: 0 })]))]).toEqual(
    [0.5, 1].map((x) => expect.closeTo(x, 12)),
  );
  // the archive keeps the two newest, so ab has left it
  expect([...(await scorer.score([row('b')]))]).toEqual([1]);
});
