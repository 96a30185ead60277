import { expect, test } from 'vitest';
import { openWorldById } from '../../../engine/worlds/index.ts';

const world = openWorldById('knights', { wrong: 0, rambling: 0 });
const judge = (prompt: string, ...lines: string[]) => world.verify(prompt, lines.join('\n'));
const flags = (prompt: string, ...lines: string[]) =>
  judge(prompt, ...lines).steps?.map(({ holds, follows }) => [holds, follows]);

test('knights and knaves: one assignment fits, and the teacher reasons by cases up to it', () => {
  // B says that D lies, D that both are alike: were B a knave, D would tell the truth and be B's kind
  const prompt = 'B:D- D:B=D?';
  expect(judge(prompt, '#B+D-')).toMatchObject({ correct: true, reward: 1 });
  expect(judge(prompt, '#B+D+')).toMatchObject({ correct: false, reason: 'contradicts what B says' });
  expect(judge(prompt, '#B-D-')).toMatchObject({ correct: false, reason: 'contradicts what B says' });
  expect(judge(prompt, '#B-D+')).toMatchObject({ correct: false, reason: 'contradicts what D says' });
  for (const answer of ['#B+', '#D-B+', '#B+D-C+', '#', 'B+D-'])
    expect(judge(prompt, answer).correct, answer).toBe(false);
  expect(flags(prompt, 'B+D+ B', 'B+D- ok', '#B+D-')).toEqual([
    [true, true],
    [true, true],
  ]);
  // the wrong person, a case twice, one that does not fit, and no case at all
  expect(flags(prompt, 'B+D+ D', 'B+D+ B', 'B-D+ ok', 'B+ D', '#B+D-')).toEqual([
    [false, true],
    [true, false],
    [false, true],
    [false, false],
  ]);
});

test('every problem has exactly one solution by trying all cases, with statements of every kind', () => {
  const kinds = new Set<string>();
  for (let at = 0; at < 150; at++) {
    const { prompt, reference, level } = world.problem('heldout', at, 0);
    const names = [...prompt.matchAll(/([A-J]):/g)].map(([, name]) => name);
    expect(names).toHaveLength(level + 1);
    const right = Array.from({ length: 2 ** names.length }, (_none, bits) =>
      names.map((name, k) => name + ((bits >> k) & 1 ? '+' : '-')).join(''),
    ).filter((answer) => world.verify(prompt, `#${answer}`).correct);
    expect(right).toEqual([reference]);
    for (const [, sign] of prompt.matchAll(/:[A-J]([+=-])/g)) kinds.add(sign);
    for (const [sign] of prompt.matchAll(/[&|]/g)) kinds.add(sign);
    const demonstration = world.demonstration(at, 3);
    const steps = world.verify(demonstration.prompt, demonstration.answer).steps ?? [];
    expect(steps.every(({ holds, follows }) => holds && follows)).toBe(true);
    expect(steps.at(-1)?.line).toBe(`${demonstration.reference} ok`);
  }
  expect([...kinds].toSorted()).toEqual(['&', '+', '-', '=', '|']);
});
