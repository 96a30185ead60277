import { expect, test } from 'vitest';
import { pressureFit, pressureGain, type PressureForm } from '../../engine/index.ts';
import { pressureText } from '../../preload/wire/pressure.ts';

const distances = [1, 2, 3, 4];

/** The sentence about a planted curve that every problem follows. */
const said = (form: PressureForm, alpha: number, beta: number): string => {
  const golds = distances.map((d) => pressureGain(form, { alpha, beta }, d));
  return pressureText({
    fit: pressureFit(form, distances, [golds, golds]),
    points: distances.map((distance, at) => ({
      distance,
      gold: golds[at],
    })),
  });
};

test('says where gold was highest, or is predicted to be', () => {
  expect(said('best-of-n', 1, 0.25)).toMatch(/^gold was highest at √KL = 2 \[2, 2\] \(α 1 /);
  const predicted = /^gold is predicted to be highest at √KL = (\S+) /.exec(said('best-of-n', 1, 0.1));
  expect(Number(predicted?.[1])).toBeCloseTo(5, 3);
});

test('says that gold only falls instead of placing a maximum before the first point', () => {
  expect(said('best-of-n', -0.2, 0.1)).toMatch(/^gold falls from the start \(α −\.2/);
  expect(said('rl', -0.1, 0.02)).toMatch(/^gold falls from the start/);
});

test('says that gold rises on, or does not change', () => {
  expect(said('best-of-n', 0.3, 0)).toMatch(/^gold does not turn down within reach/);
  expect(said('best-of-n', 0, 0)).toBe('gold does not change');
  expect(said('best-of-n', 1e-16, 1e-16)).toBe('gold does not change');
});

test('is empty without a fit', () => {
  expect(pressureText({ fit: null, points: [] })).toBe('');
});
