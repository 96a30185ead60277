import { join } from 'node:path';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import { renderReport } from '../report/index.ts';
import { writeWhole } from '../store/files.ts';
import type { PlanBench } from '../plans/whole.ts';
import { passAt, walkLoop, type LoopOptions, type Policy } from './loop.ts';
import { sizes } from './plan.ts';
import { demoFindings, demoSections } from './sections.ts';

/** Output of `demo --json`. Rates are fractions, lengths are in tokens, KL in nats. */
export interface DemoResult {
  readonly ok: boolean;
  readonly seconds: number;
  readonly base: PolicyRow;
  readonly policies: readonly PolicyRow[];
  readonly rewardModel: {
    readonly heldoutAccuracy: number;
    readonly ece: number;
    readonly lengthCorrelation: number;
  };
  readonly report: string;
}
type PolicyRow = { readonly name: string; readonly passAt8: number | null } & Pick<
  PolicyEvaluation,
  'passAt1' | 'passAt1Interval' | 'greedy' | 'kl' | 'meanLength' | 'gold' | 'proxy'
>;

/**
 * Runs the whole loop on the built-in arithmetic world: base, samples, labels, reward model, five policies,
 * one report. `ok`: pass@1 with the verifier is at least .15 above both the base and the control.
 */
export async function runDemo(
  bench: PlanBench,
  { folder, ...options }: { folder: string } & LoopOptions,
): Promise<{ result: DemoResult; policies: readonly Policy[]; findings: readonly string[] }> {
  const { seed } = options;
  const start = performance.now();
  const loop = await walkLoop(bench, options);
  const report = join(folder, `demo-seed-${seed}.html`);
  const seconds = () => (performance.now() - start) / 1000;
  await writeWhole(report, [
    renderReport({
      title: 'The whole loop, end to end',
      subtitle: `built-in arithmetic, seed ${seed}, ${Math.round(seconds())} s`,
      createdAt: Date.now(),
      sections: await demoSections(bench, loop),
    }),
  ]);
  const policies = loop.policies.map(row);
  const base = row(loop.base);
  const pass = (name: string) => policies.find((p) => p.name === name)?.passAt1 ?? 0;
  const { inspection } = loop.rewardModel;
  const result = {
    ok: pass('grpo-verifier') - Math.max(base.passAt1, pass('sft-continued')) >= 0.15,
    seconds: seconds(),
    base,
    policies,
    rewardModel: {
      heldoutAccuracy: inspection.accuracy,
      ece: inspection.ece,
      lengthCorrelation: inspection.lengthCorrelation,
    },
    report,
  };
  return { result, policies: [loop.base, ...loop.policies], findings: demoFindings(loop) };
}

const row = ({ name, evaluation: e }: Policy): PolicyRow => ({
  name,
  passAt1: e.passAt1,
  passAt1Interval: e.passAt1Interval,
  passAt8: passAt(e, sizes.evaluation.samples),
  greedy: e.greedy,
  kl: e.kl,
  meanLength: e.meanLength,
  gold: e.gold,
  proxy: e.proxy,
});
