import { expect, test } from 'vitest';
import { openStack } from '../../../engine/rewards/stack.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';

const world = openWorldById('arithmetic');
const fapo = async (params: object, ...completions: string[]) => {
  const stack = await openStack([{ id: 'fapo', weight: 1, params: { ...params } }], { world });
  const { total } = await stack.score(
    completions.map((completion) => ({
      promptId: 'p',
      prompt: '7+4*3=?',
      completion,
      tokens: completion.length + 1,
      stopReason: 'end' as const,
    })),
  );
  return [...total];
};
const sound = '4*3=12\n7+12=19\n#19';
const flawed = '4*3=11\n7+12=19\n#19';
const wrong = '4*3=12\n7+12=18\n#18';

test('fapo: 1 for sound, 1 − penalty for right but flawed, −1 for wrong', async () => {
  expect(await fapo({}, sound, flawed, wrong, 'no answer')).toEqual([1, 0, -1, -1]);
  expect(await fapo({ penalty: 2 }, sound, flawed, wrong)).toEqual([1, -1, -1]);
  expect(await fapo({ penalty: 0 }, sound, flawed, wrong)).toEqual([1, 1, -1]);
});

test('with penalty 1 a flawed answer is better than its group while most are wrong, and worse once most are sound', async () => {
  const above = async (...group: string[]) => {
    const [first, ...rest] = await fapo({}, flawed, ...group);
    return first - (first + rest.reduce((a, b) => a + b, 0)) / (rest.length + 1);
  };
  expect(await above(wrong, wrong, sound)).toBeCloseTo(0.25, 9);
  expect(await above(wrong, sound, sound)).toBeCloseTo(-0.25, 9);
});

test('any reward can be the detector, by a threshold', async () => {
  const detector = { soundness: { id: 'length', params: {} }, threshold: 0.5 };
  expect(await fapo(detector, sound, '#19', wrong, '#18')).toEqual([1, 0, -1, -1]);
});
