import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { call, real } from './define.ts';

/** A point of a curve of gold and proxy reward over d = √KL; gains are over the initial policy. */
export const PressurePoint = z.strictObject({
  /** Step of a run, or n of best-of-n. */
  at: real,
  distance: real,
  gold: real,
  goldInterval: Interval,
  /** Gain of the proxy, in units of its deviation over the answers; null where it is not stored. */
  proxy: real.nullable(),
});
export type PressurePoint = z.infer<typeof PressurePoint>;

const PressureFit = z.strictObject({
  form: z.enum(['best-of-n', 'rl']),
  alpha: real,
  beta: real,
  alphaInterval: Interval,
  betaInterval: Interval,
  /** The point at which gold turns down; null if it does not. */
  peak: z.strictObject({ distance: real, gain: real, interval: z.tuple([real, real.nullable()]) }).nullable(),
});

export const PressureCurve = z.strictObject({
  points: z.array(PressurePoint),
  problems: real,
  /** Null with fewer than three distances. */
  fit: PressureFit.nullable(),
  /** The fitted gain at evenly spaced distances, to be drawn. */
  line: z.array(z.strictObject({ distance: real, gain: real })),
});
export type PressureCurve = z.infer<typeof PressureCurve>;

export const Overoptimization = z.strictObject({
  /** Scorers of the evaluations that can be the proxy, and the one that is. */
  proxies: z.array(z.string()),
  proxy: z.string().nullable(),
  rl: PressureCurve.nullable(),
  /** Of the answers to one evaluation, of this step. */
  bestOfN: PressureCurve.extend({ step: real }).nullable(),
  /** Reasons why a curve is missing. */
  notes: z.array(z.string()),
});
export type Overoptimization = z.infer<typeof Overoptimization>;

export const overoptimization = {
  /** Gold reward of a run as optimization pressure on a proxy grows: by its steps, and by best-of-n. */
  ofRun: call(
    z.strictObject({ runId: z.string().min(1), proxy: z.string().min(1).nullable().default(null) }),
    Overoptimization,
  ),
};
