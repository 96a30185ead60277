import { expect, test } from 'vitest';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { stepCredit } from '../../../engine/rl/parts/credit/steps.ts';
import { stepsOf } from '../../../engine/rl/parts/math/steps.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';

// a prompt, four tokens of which the second ends a line, a reply of the world, a last turn
const mask = Uint8Array.of(0, 1, 1, 1, 1, 0, 0, 1);
const breaks = (t: number) => t === 2;

test.each([
  [
    'token',
    [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
      [7, 7],
    ],
  ],
  [
    'line',
    [
      [1, 2],
      [3, 4],
      [7, 7],
    ],
  ],
  [
    'turn',
    [
      [1, 4],
      [7, 7],
    ],
  ],
] as const)('divides an answer into steps by %s', (step, wanted) =>
  expect(stepsOf(mask, breaks, step)).toEqual(wanted),
);

test('credits a step with its judge score relative to the other steps of the batch, plus the outcome', async () => {
  const row = (values: readonly number[]) => ragged([values], Float32Array);
  const judged = row([9, -1, -1, -2, -2, 9, 9, -0.5]);
  const initial = row([0, -2, -2, -2, -2, 0, 0, -1.5]);
  const part = stepCredit({ by: 'judge', beta: 0.5, weight: 2, step: 'turn' });
  const inputs = {
    tokens: ragged([[0, 1, 2, 3, 4, 5, 6, 7]], Int32Array),
    mask: ragged([mask], Uint8Array),
    advantage: ragged([[0, 1, 1, 1, 1, 0, 0, 1]], Float64Array),
    'logp/initial': initial,
    'model/judge': { logp: async (): Promise<PerToken> => judged },
  };
  const { columns } = (await part.run(inputs as never, {} as never)) as {
    columns: { advantage: PerToken<Float64Array> };
  };
  // turns earn ½·(1 + 1 + 0 + 0) = 1 and ½·1 = ½: +1 and −1 standard deviations of ¼
  const found = [...columns.advantage.values];
  [0, 3, 3, 3, 3, 0, 0, -1].forEach((wanted, t) => expect(found[t]).toBeCloseTo(wanted, 4));
});
