import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { stream } from '../../engine/random/random.ts';
import { openWorldById, worlds, type WorldKind } from '../../engine/worlds/index.ts';
import { caught } from '../support/errors.ts';
import { bestConstant } from '../support/worlds.ts';

const COUNT = 300;
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

interface Field {
  readonly enum?: unknown[];
  readonly type?: string;
}
/** Each value of each choice, and the hardest levels. */
const variantsOf = (kind: WorldKind): object[] => {
  const { properties = {} } = z.toJSONSchema(kind.params, { io: 'input' }) as {
    properties?: Record<string, Field & { maximum?: number }>;
  };
  const choices = Object.entries(properties).flatMap(([name, field]) =>
    (field.enum ?? (field.type === 'boolean' ? [true, false] : [])).map((value) => ({ [name]: value })),
  );
  const levels = properties.heldoutLevels?.maximum;
  return [...choices, ...(levels === undefined ? [] : [{ levels: 1, heldoutLevels: levels }])];
};

describe.each(worlds.map((kind) => [kind.id, kind] as const))('world %s', (id, kind) => {
  const world = kind.open();
  const other = (i: number): string => world.demonstration(i, 3).answer;
  const problems = (split: 'train' | 'heldout', seed: number) =>
    range(COUNT).map((i) => world.problem(split, i, seed));

  test('gives each parameter a default and a description', () => {
    const schema = z.toJSONSchema(kind.params, { io: 'input' }) as {
      properties?: Record<string, { description?: string }>;
      required?: string[];
    };
    expect(schema.required ?? []).toEqual([]);
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      expect(field.description, name).toBeTruthy();
    expect(openWorldById(id).params).toEqual(kind.params.parse({}));
  });

  test('gives the same problem for the same arguments, in any order', () => {
    expect(problems('train', 5)).toEqual(
      range(COUNT)
        .reverse()
        .map((i) => world.problem('train', i, 5))
        .reverse(),
    );
    expect(range(20).map((i) => kind.open().demonstration(i, 5))).toEqual(
      range(20).map((i) => world.demonstration(i, 5)),
    );
  });

  test('says its problems in other words that mean the same, if it has some', () => {
    const { wordings } = world;
    if (!wordings) return;
    for (const i of range(60)) {
      const { prompt } = world.problem('train', i, 3);
      const draw = stream(i, 'wordings');
      const kinds = wordings.kinds.filter(() => draw.next() < 0.5);
      const said = wordings.say(prompt, kinds, draw) ?? '';
      expect(wordings.kindsOf(said), said).toEqual(expect.arrayContaining(kinds));
      expect([...said].filter((character) => !world.alphabet.includes(character))).toEqual([]);
      expect(wordings.answer(said), said).toBe(wordings.answer(prompt));
      const worked = wordings.worked(said) ?? '';
      expect(world.verify(said, worked), said).toMatchObject({ correct: true });
      // what is right or wrong for the plain prompt is so for this one
      const answers = [worked, wordings.worked(prompt) ?? '', ...range(8).map(other)];
      for (const answer of answers)
        expect(world.verify(said, answer).correct, said).toBe(world.verify(prompt, answer).correct);
    }
    expect(wordings.say('no problem', wordings.kinds, stream(0, 'none'))).toBeNull();
    expect([wordings.answer('no problem'), wordings.worked('no problem')]).toEqual([null, null]);
  });

  test('solves its problems rightly, the same each time, or says that it cannot', () => {
    for (const problem of problems('train', 3).slice(0, 20)) {
      const answer = world.solution(problem);
      expect(answer).toBe(world.solution(problem));
      if (answer !== null) expect(world.verify(problem, answer).correct, answer).toBe(true);
    }
  });

  test('gives the same held-out problems for every seed', () => {
    expect(problems('heldout', 1)).toEqual(problems('heldout', 2));
  });

  test('gives other training problems with another seed, unless it has one prompt', () => {
    if (world.disjoint) expect(problems('train', 1)).not.toEqual(problems('train', 2));
    else expect(new Set(problems('train', 1).map((p) => p.prompt)).size).toBe(1);
  });

  test('never trains on a held-out prompt', () => {
    const heldout = new Set(problems('heldout', 0).map((p) => p.promptId));
    const trained = [
      ...problems('train', 1),
      ...problems('train', 2),
      ...range(COUNT).map((i) => world.demonstration(i, 3)),
    ];
    const shared = trained.filter((p) => heldout.has(p.promptId)).length;
    expect(shared).toBe(world.disjoint ? 0 : trained.length);
  });

  test('demonstrates held-out prompts on request, the same for every seed', () => {
    const heldout = range(50).map((i) => world.demonstration(i, 1, 'heldout'));
    expect(heldout).toEqual(range(50).map((i) => world.demonstration(i, 2, 'heldout')));
    const trained = new Set(
      [...problems('train', 1), ...range(COUNT).map((i) => world.demonstration(i, 3))].map((p) => p.promptId),
    );
    if (world.disjoint) expect(heldout.some((d) => trained.has(d.promptId))).toBe(false);
  });

  test('accepts its reference answer or its right demonstrations, and its verdict on each demonstration agrees with the mark', () => {
    for (const i of range(COUNT)) {
      const d = world.demonstration(i, 9);
      expect(world.verify(d.prompt, d.answer).correct, JSON.stringify(d)).toBe(d.kind !== 'wrong');
      expect(d.correct).toBe(d.kind !== 'wrong');
    }
  });

  test('keeps prompts and answers within its alphabet and its maximum lengths', () => {
    const letters = new Set(world.alphabet);
    expect(letters.size).toBe(world.alphabet.length);
    for (const i of range(COUNT)) {
      const { prompt, answer } = world.demonstration(i, 2);
      expect([...prompt, ...answer].every((letter) => letters.has(letter))).toBe(true);
      expect(prompt.length).toBeLessThanOrEqual(world.maxPromptTokens);
      expect(answer.length + 1).toBeLessThanOrEqual(world.maxTokens);
    }
  });

  test('keeps to them, and marks its demonstrations as it verifies them, for every choice of its parameters', () => {
    for (const params of variantsOf(kind)) {
      const varied = kind.open(params);
      const letters = new Set(varied.alphabet);
      for (const d of range(120).map((i) => varied.demonstration(i, 3, 'heldout'))) {
        expect(
          [...d.prompt, ...d.answer].filter((letter) => !letters.has(letter)),
          JSON.stringify([params, d]),
        ).toEqual([]);
        expect(d.prompt.length).toBeLessThanOrEqual(varied.maxPromptTokens);
        expect(d.answer.length + 1).toBeLessThanOrEqual(varied.maxTokens);
        expect(d.correct, JSON.stringify([params, d])).toBe(d.kind !== 'wrong');
      }
    }
  });

  test('trains on its stated levels, and adds the levels above them at evaluation', () => {
    if (!world.levels) return;
    const { trained, heldout } = world.levels;
    const levelsOf = (all: readonly { level: number }[]) =>
      [...new Set(all.map(({ level }) => level))].sort();
    expect(levelsOf(problems('train', 1))).toEqual(trained);
    expect(levelsOf(problems('heldout', 1))).toEqual([...trained, ...heldout]);
    expect(Math.min(...heldout)).toBeGreaterThan(Math.max(...trained));
    const easier = kind.open({ ...kind.params.parse({}), heldoutLevels: 0 });
    expect(levelsOf(range(COUNT).map((i) => easier.problem('heldout', i, 0)))).toEqual(trained);
  });

  test('is hard to guess: the best constant answer to 2,000 held-out problems scores below 5 %', () => {
    // few prompts, or one answer for all: these worlds are made to be learned fast
    if (id.startsWith('toy/')) return;
    const most = bestConstant(world, 2000);
    expect(most.share, most.answer).toBeLessThan(0.05);
  });

  test(
    'judges any text without throwing, with a finite reward in −1…1 that is highest only where the answer ' +
      'is right',
    () => {
      const own = fc
        .array(fc.constantFrom(...world.alphabet), { maxLength: 200 })
        .map((letters) => letters.join(''));
      fc.assert(
        fc.property(
          fc.nat(COUNT),
          fc.oneof(own, fc.string({ unit: 'binary', maxLength: 500 })),
          fc.oneof(fc.constant(null), fc.string({ unit: 'binary' })),
          (i, text, prompt) => {
            const problem = world.problem('train', i, 4);
            const verdict = world.verify(prompt ?? problem, text);
            expect(verdict).toEqual(world.verify(prompt ?? problem.prompt, text));
            expect(verdict.reason.length).toBeGreaterThan(0);
            expect(verdict.reward).toBeGreaterThanOrEqual(-1);
            expect(verdict.reward).toBeLessThanOrEqual(1);
            expect(verdict.correct).toBe(verdict.reward === 1);
          },
        ),
        { numRuns: 300 },
      );
    },
  );

  test('rejects text that is far too long', () => {
    const { prompt, answer } =
      range(COUNT)
        .map((i) => world.demonstration(i, 1))
        .find((d) => d.correct) ?? world.demonstration(0, 1);
    expect(world.verify(prompt, answer).correct).toBe(true);
    expect(world.verify(prompt, `${answer}\n`.repeat(10_000) + answer).correct).toBe(false);
  });

  test('prefers the answer that its verifier rewards more', () => {
    if (!world.preference) return;
    for (const i of range(COUNT)) {
      const pair = world.preference('train', i, 6);
      const [a, b] = [pair.a, pair.b].map((answer) => world.verify(pair.prompt, answer).reward);
      expect(pair.better).toBe(a > b ? 'a' : b > a ? 'b' : 'tie');
    }
  });

  test('lists its outcomes with the verifier’s rewards, where it can list them', () => {
    for (const { completion, reward } of world.outcomes ?? [])
      expect(world.verify(world.problem('train', 0, 0), completion).reward).toBe(reward);
  });

  test('rejects unknown parameters', () => {
    expect(caught(() => kind.open({ 'no such parameter': 1 }))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('no such parameter'),
    });
  });
});

test('an unknown world is reported together with the existing ones', () => {
  expect(caught(() => openWorldById('toy/none'))).toMatchObject({
    kind: 'not-found',
    hint: expect.stringContaining('arithmetic'),
  });
});

test('ids are unique', () => {
  expect(new Set(worlds.map((world) => world.id)).size).toBe(worlds.length);
});
