import { describe, expect, it } from 'vitest';
import { pressureGain, pressurePeak } from '../../engine/index.ts';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { EngineEvent, EventBody } from '../../engine/schema/messages.ts';
import { overoptimization } from '../../main/use-cases/overoptimization.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, workspaceForTest } from '../support/workspace.ts';

const planted = { alpha: 0.9, beta: 0.3 };
const problems = Array.from({ length: 12 }, (_none, p) => `p${p}`);

const evaluation = (step: number, kl: number | null): PolicyEvaluation => ({
  step,
  problems: problems.length,
  samples: 4,
  passAt1: 0.5,
  passAt1Interval: [0.4, 0.6],
  passAtK: [{ k: 1, value: 0.5 }],
  greedy: 0.5,
  kl,
  meanLength: 3,
  truncated: 0,
  gold: 0.5,
  proxy: null,
});

/** Scores of answer `s` to problem `p` of an evaluation. */
type Scores = (p: number, s: number) => Readonly<Record<string, number>>;

/** A workspace with a run, whose evaluations are stored by `evaluate`. */
async function run() {
  const { store } = await workspaceForTest();
  const { id } = await store.runs.create(parsedSpec({ name: 'run' }), []);
  await store.runs.beginAttempt(id, null);
  let sequence = 0;
  const tell = (step: number, ...bodies: EventBody[]) =>
    store.events.commit(
      bodies.map((body): EngineEvent => ({
        runId: id,
        attempt: 1,
        role: 'policy',
        step,
        sequence: (sequence += 1),
        at: 1000 + sequence,
        ...body,
      })),
    );
  const evaluate = (step: number, kl: number | null, scoresOf: Scores) =>
    tell(
      step,
      {
        type: 'trajectories',
        rows: problems.flatMap((promptId, p) =>
          [0, 1, 2, 3].map((sample) =>
            trajectory({
              id: `${id}/${step}/${promptId}/${sample}`,
              step,
              purpose: 'evaluation',
              promptId,
              sample,
              scores: scoresOf(p, sample),
            }),
          ),
        ),
      },
      { type: 'result', kind: 'evaluation', value: evaluation(step, kl) },
    );
  return { store, id, evaluate };
}

describe('over-optimization of a run', () => {
  it('recovers a planted curve of its evaluations, with the peak between its bounds', async () => {
    const { store, id, evaluate } = await run();
    const kls = [0, 0.25, 1, 4, 9, 16];
    for (const [at, kl] of kls.entries()) {
      const gain = pressureGain('rl', planted, Math.sqrt(kl));
      // problems differ in their level, and a little in their gain
      await evaluate(at * 10, kl, (p, s) => ({
        verifier: p / 10 + gain * (1 + (p - 5.5) / 50),
        proxy: kl + (s + p) / 10,
      }));
    }
    const { rl, proxies, proxy } = await overoptimization({ store }, id, null);
    expect([proxies, proxy]).toEqual([['proxy'], 'proxy']);
    expect(rl?.points.map(({ at }) => at)).toEqual([10, 20, 30, 40, 50]);
    expect(rl?.problems).toBe(problems.length);
    expect(rl?.fit?.alpha).toBeCloseTo(planted.alpha, 8);
    expect(rl?.fit?.beta).toBeCloseTo(planted.beta, 8);
    const peak = rl?.fit?.peak;
    expect(peak?.distance).toBeCloseTo(pressurePeak('rl', planted), 6);
    expect(peak?.interval[0]).toBeLessThanOrEqual(pressurePeak('rl', planted) + 1e-9);
    expect(rl?.points.at(-1)?.proxy, 'in deviations over problems').toBeGreaterThan(10);
  });

  it('picks by the proxy in best of n, whatever gold is', async () => {
    const { store, id, evaluate } = await run();
    await evaluate(0, 0, (_p, s) => ({ verifier: s === 3 ? 0 : 1, judge: s }));
    const { bestOfN, rl, notes } = await overoptimization({ store }, id, 'judge');
    expect(rl).toBeNull();
    expect(notes).toEqual(['No evaluation after the first step yet.']);
    // the best of 4 is answer 3, which is wrong; of 2 it is in half of the pairs
    expect(bestOfN?.points.map(({ at, gold }) => [at, gold])).toEqual([
      [2, expect.closeTo(0.5 - 0.75, 12)],
      [3, expect.closeTo(0.25 - 0.75, 12)],
      [4, expect.closeTo(0 - 0.75, 12)],
    ]);
    expect(bestOfN?.points.at(-1)?.goldInterval).toEqual([-0.75, -0.75]);
  });

  it('leaves out problems with a score that failed, and says what is missing', async () => {
    const { store, id, evaluate } = await run();
    await evaluate(0, null, (p, s) => ({ verifier: s, judge: p === 0 && s === 1 ? Number.NaN : -s }));
    await evaluate(10, null, (_p, s) => ({ verifier: s, judge: -s }));
    const found = await overoptimization({ store }, id, null);
    expect(found.bestOfN?.problems).toBe(problems.length - 1);
    expect(found.notes).toEqual(['The run began from random weights: there is no KL to an initial policy.']);
    await expect(overoptimization({ store }, id, 'unknown')).rejects.toMatchObject({
      kind: 'not-found',
      where: 'proxy',
      hint: 'It has: judge.',
    });
  });

  it('says so where there is no evaluation, and where the verifier alone scored the answers', async () => {
    const { store, id, evaluate } = await run();
    expect(await overoptimization({ store }, id, null)).toMatchObject({
      rl: null,
      bestOfN: null,
      notes: ['The run has no evaluation yet.'],
    });
    await evaluate(0, 0, (_p, s) => ({ verifier: s }));
    await evaluate(5, 1, (_p, s) => ({ verifier: s }));
    const { rl, notes } = await overoptimization({ store }, id, null);
    expect(rl).toMatchObject({ fit: null, points: [{ at: 5, distance: 1, gold: 0, proxy: null }] });
    expect(notes).toEqual([
      'No reward but the verifier scored the answers: score them again with one to see best-of-n.',
    ]);
  });
});
