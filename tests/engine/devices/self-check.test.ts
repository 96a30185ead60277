import { describe, expect, it } from 'vitest';
import { checkDevice, compareTrained } from '../../../engine/rl/tools/device-check.ts';
import { offered, openDevice, parseNvidia } from '../../../engine/runtime/index.ts';

describe('the self-check of a device', () => {
  it('finds the CPU equal to itself', async () => {
    expect(await checkDevice('cpu')).toMatchObject({ worst: 0, cpuNodes: {} });
  });

  it('knows at least the CPU, and reports unavailable devices', async () => {
    expect(offered().map(({ id }) => id)).toContain('cpu');
    for (const { id, bundled } of offered())
      if (!bundled) await expect(openDevice({ id })).rejects.toMatchObject({ hint: expect.any(String) });
  });

  it('finds the largest deviation at any position', () => {
    const answer = { tokens: Int32Array.of(0, 3, 7, 8), logp: Float32Array.of(-1, -2, -3), promptLength: 1 };
    const right = {
      numbers: new Map([
        ['loss (0)', [2]],
        ['parameters', [0.5, 0.25]],
      ]),
      answers: [answer],
    };
    expect(compareTrained(right, right)).toEqual({ worst: 0, where: '' });
    expect(
      compareTrained(
        {
          ...right,
          numbers: new Map([
            ['loss (0)', [2.2]],
            ['parameters', [0.5, 0.25]],
          ]),
        },
        right,
      ),
    ).toMatchObject({ worst: expect.closeTo(0.1), where: 'loss (0)' });
    expect(
      compareTrained(
        {
          ...right,
          numbers: new Map([
            ['loss (0)', [2]],
            ['parameters', [0.5, Number.NaN]],
          ]),
        },
        right,
      ),
    ).toEqual({ worst: Infinity, where: 'parameters' });
    expect(compareTrained({ ...right, numbers: new Map([['loss (0)', [2]]]) }, right).worst).toBe(Infinity);
    // answers are unrelated after the first token that differs
    const other = { ...answer, tokens: Int32Array.of(0, 3, 9, 9), logp: Float32Array.of(-1, -2.0001, -50) };
    expect(compareTrained({ ...right, answers: [other] }, right)).toMatchObject({
      worst: expect.closeTo(5e-5, 6),
      where: 'generated log-probabilities',
    });
  });
});

describe('names of processors', () => {
  it('come from the driver’s description', () => {
    expect(parseNvidia('NVIDIA H200, 143771\nNVIDIA H200, 143771\n')).toEqual({
      name: 'NVIDIA H200',
      memoryBytes: 143_771 * 2 ** 20,
    });
    expect(parseNvidia('')).toBeUndefined();
    expect(parseNvidia('No devices were found')).toBeUndefined();
  });
});
