import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { controlWorlds } from '../../../engine/control/index.ts';
import { orders } from '../../../engine/labeling/index.ts';
import { tabularWorlds } from '../../../engine/tabular/index.ts';
import { aggregate } from '../../bench/profile.ts';
import { flopOf, productsOf, sizes, type Size } from '../../bench/sizes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = async (...args: string[]): Promise<{ figures: unknown; log: string }> => {
  const env = { ...process.env, WHETSTONE_PYTHON: 'there-is-no-such-python' };
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['tests/bench/run.ts', ...args, '--config', 'tiny', '--threads', '1', '--json'],
    { cwd: root, env },
  );
  return { figures: JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), log: stderr };
};

/** Fields that only our side has measured, and fields that only a peer has. */
const measured = expect.toSatisfy(Number.isFinite) as number;
const none = null;

describe.concurrent('a benchmark without its peer reports that and gives its own figures', () => {
  test('train', async () => {
    const { figures, log } = await run('train', '--pairs', '2');
    expect(log).toMatch(/comparison was skipped: there-is-no-such-python/);
    expect(figures).toEqual({
      config: 'tiny',
      vs: none,
      oursMs: measured,
      peerMs: none,
      ratio: none,
      overLimit: measured,
      oursGemm: measured,
      peerGemm: none,
      oursPeakMb: process.platform === 'linux' ? measured : none,
      peerPeakMb: none,
      pairs: 2,
    });
  });
  test('generate', async () => {
    const { figures, log } = await run('generate', '--batch', '1,4', '--pairs', '1');
    expect(log).toMatch(/skipped/);
    expect(figures).toEqual([1, 4].map((batch) => ({ batch, ours: measured, peer: none, ratio: none })));
  });
  test('control', async () => {
    const { figures, log } = await run('control', '--batch', '4', '--pairs', '1');
    expect(log).toMatch(/skipped/);
    expect(figures).toEqual(
      controlWorlds.map(({ id }) => ({ world: id, copies: 4, ours: measured, peer: none, ratio: none })),
    );
  });
  test('tabular', async () => {
    const { figures } = await run('tabular', '--only', 'mex,q-learning');
    const rows = figures as { readonly agent: string; readonly world: string; readonly covered: object }[];
    const worlds = tabularWorlds();
    expect(rows.map(({ agent }) => agent)).toEqual(
      ['q-learning', 'mex'].flatMap((id) => worlds.map(() => id)),
    );
    for (const { covered } of rows) expect(covered).toMatchObject({ mean: measured });
  });
  test('sampling', async () => {
    const { figures } = await run('sampling', '--batch', '2', '--pairs', '1');
    expect(figures).toEqual(
      ['none', 'topK', 'topP', 'minP', 'all', 'grammar', 'guide'].map((option) => ({
        batch: 2,
        option,
        tokensPerSecond: measured,
        share: measured,
      })),
    );
  });
  test('rl', async () => {
    const { figures, log } = await run('rl', '--pairs', '1');
    expect(log).toMatch(/skipped/);
    const phases = ['sampling', 'rewards', 'advantages', 'reference', 'update', 'rest'];
    expect(figures).toEqual({
      oursSeconds: measured,
      peerSeconds: none,
      ratio: none,
      breakdown: Object.fromEntries(phases.map((phase) => [phase, measured])),
      peerBreakdown: none,
    });
  });
  test('score', async () => {
    const { figures } = await run('score', '--sequences', '50');
    expect(figures).toEqual({
      config: 'tiny',
      sequences: 50,
      tokens: measured,
      realShare: measured,
      sequencesPerSecond: measured,
      tokensPerSecond: measured,
      firstSeconds: measured,
      seconds: measured,
    });
    const { realShare } = figures as { realShare: number };
    expect(realShare).toBeGreaterThan(0.5);
    expect(realShare).toBeLessThanOrEqual(1);
  });
  test('scorer', async () => {
    const { figures } = await run('scorer');
    expect(figures).toEqual({
      config: 'tiny',
      edits: 200,
      firstMs: measured,
      medianMs: measured,
      p95Ms: measured,
      insideMs: measured,
    });
  });
  test('profile', async () => {
    const { figures } = await run('profile', '--pairs', '2');
    expect(figures).toMatchObject({ config: 'tiny', steps: 2, stepMs: measured, opsMs: measured });
    const { kinds, shapes } = figures as {
      kinds: { share: number; what: string }[];
      shapes: { share: number }[];
    };
    for (const rows of [kinds, shapes])
      expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 1);
    expect(kinds.map(({ what }) => what)).toContain('Gemm');
  });
  test('first', async () => {
    const { figures, log } = await run('first', '--seeds', '0', '--labels', '20', '--steps', '1');
    const row = {
      seed: 0,
      before: measured,
      after: measured,
      interval: none,
      ok: expect.any(Boolean) as boolean,
    };
    const policy = (path: string) => [
      { ...row, path, measure: 'pass@1', interval: [measured, measured] },
      { ...row, path, measure: 'pass@2' },
      { ...row, path, measure: 'greedy' },
    ];
    const judge = {
      ...row,
      path: '20 labels → reward model',
      measure: 'accuracy over length',
      interval: [expect.any(Number), expect.any(Number)],
    };
    expect(figures).toEqual([...policy('base → DPO on 20 labels, 1 steps'), judge, ...policy('base → GRPO')]);
    expect(log).toMatch(
      /base, seed 0.*\nDPO on 20 labels, 1 steps, seed 0.*\nAbout 3 pairs .*\nreward model, seed 0.*\nGRPO, seed 0/,
    );
    await expect(run('first', '--seeds', '1;2')).rejects.toThrow(/no whole numbers/);
  });
  test('duplicates', async () => {
    const { figures, log } = await run('duplicates', '--documents', '600');
    expect(log).toMatch(/skipped/);
    expect(figures).toEqual({
      documents: 600,
      seconds: measured,
      peakMb: process.platform === 'linux' ? measured : none,
      recall: 1,
      precision: 1,
      planted: measured,
      compared: measured,
      skipped: 0,
      peerSeconds: none,
      peerPeakMb: none,
      peerRecall: none,
      ratio: none,
    });
  });
  test('orders', async () => {
    const { figures, log } = await run('orders', '--seeds', '0,1', '--labels', '40');
    expect(log).toMatch(
      /arithmetic, seed 0: random .*\n.*seed 1: random .*\nhh-harmless-1156.jsonl was skipped/,
    );
    const others = orders.filter(({ id }) => id !== 'random');
    expect(figures).toEqual(
      others.map(({ id }) => ({
        order: id,
        data: 'arithmetic',
        labels: measured,
        randomLabels: measured,
        ratio: measured,
        interval: [measured, measured],
        target: measured,
        missed: measured,
      })),
    );
  });
  test('rejects an unknown model or benchmark', async () => {
    await expect(run('dance')).rejects.toThrow(/no benchmark 'dance'/);
    await expect(run('train', '--vs', 'trl')).rejects.toThrow(/compares with torch or torch-compile/);
  });
});

test('a step has three products for every trainable weight, two for a frozen one, and six for attention', () => {
  for (const size of Object.values<Size>(sizes)) {
    const { width: D, layers, context: T, batch: B, vocabulary: V } = size;
    const each = size.adapter ? 4 : 6;
    const expected =
      each * B * T * 12 * D * D * layers + each * B * (T - 1) * V * D + 12 * B * T * T * D * layers;
    expect(productsOf(size).reduce((sum, product) => sum + flopOf(product), 0) / expected).toBeCloseTo(1, 10);
  }
});

test('a profile covers the last runs only', () => {
  const node = (ts: number, dur: number, op: string) => ({
    cat: 'Node',
    name: `${op}_kernel_time`,
    ts,
    dur,
    args: { op_name: op, input_type_shape: [{ float: [2, 3] }], output_type_shape: [{ float: [2] }] },
  });
  const runs = [100, 200, 300].map((ts) => ({ cat: 'Session', name: 'model_run', ts, dur: 50 }));
  const events = [
    ...runs,
    node(110, 9000, 'Gemm'),
    node(210, 3000, 'Gemm'),
    node(220, 1000, 'Mul'),
    node(310, 3000, 'Gemm'),
    node(320, 1000, 'Mul'),
  ];
  expect(aggregate(events, 2)).toEqual({
    stepMs: 0.05,
    opsMs: 4,
    kinds: [
      { what: 'Gemm', ms: 3, share: 0.75, count: 1 },
      { what: 'Mul', ms: 1, share: 0.25, count: 1 },
    ],
    shapes: [
      { what: 'Gemm [2,3] → [2]', ms: 3, share: 0.75, count: 1 },
      { what: 'Mul [2,3] → [2]', ms: 1, share: 0.25, count: 1 },
    ],
  });
});
