/** Which evaluations a run gets: whatever its model and its task allow, whatever its method. */
import type { EventBody } from '../schema/messages.ts';
import type { RewardSpec } from '../schema/run-spec.ts';
import type { Trajectory } from '../schema/trajectory.ts';
import { rewards } from '../rewards/index.ts';
import { evaluateAnswers, evaluatePreferences, headScore, heldoutLoss, implicitReward, inspectReward } from './evaluation.ts';
import { openRewards, type Session } from './session.ts';

/** Where the findings go. `report` may throw `cancelled`. */
export interface Findings {
  result(kind: Extract<EventBody, { type: 'result' }>['kind'], value: unknown): Promise<void>;
  metrics(values: { readonly [name: string]: number }): Promise<void>;
  keep(rows: readonly Trajectory[]): Promise<void>;
  report(done: number, total: number, secondsLeft: number | null): Promise<void>;
}

/** Evaluates the run's model as it is now. A run that only makes rows is not evaluated. */
export const evaluateSession = async (session: Session, findings: Findings): Promise<void> => {
  const { method, main, material, tokenizer, spec } = session;
  if (method.produces === 'rows') return;
  const { pairs, examples } = material.heldout;
  if (method.produces === 'reward') {
    const inspection = await inspectReward(pairs, headScore(main.live, tokenizer), spec.seed);
    await findings.result('reward-inspection', inspection);
    // without a decided pair there is nothing to tell but that
    if (inspection.pairs === 0) return;
    session.lengthFit = inspection.lengthFit;
    await findings.metrics({ 'eval/accuracy': inspection.accuracy, 'eval/ece': inspection.ece, 'eval/length_correlation': inspection.lengthCorrelation });
    return;
  }
  if (method.task === 'demonstrations' && examples.length > 0) {
    await findings.metrics({ 'eval/loss': await heldoutLoss(main.live, examples, tokenizer) });
  }
  if (method.task === 'preferences') {
    const found = await evaluatePreferences(pairs, implicitReward(main.live, session.initial, tokenizer), spec.seed);
    await findings.result('preference-evaluation', found);
    if (found.pairs > 0) await findings.metrics({ 'eval/rewards/accuracies': found.accuracy, 'eval/rewards/margins': found.rewardMargin });
  }
  if (material.evaluationWorld && spec.evaluation.problems > 0) await askWorld(session, findings);
};

/** Answers to held-out problems, scored by everything that the run names and by the world itself. */
const askWorld = async (session: Session, findings: Findings): Promise<void> => {
  const { run, spec, main, material, initial, device, tokenizer, standing } = session;
  const world = material.evaluationWorld;
  if (!world) return;
  const { problems, samples } = spec.evaluation;
  const verifier: RewardSpec = { id: 'verifier', weight: 0, params: { value: 'reward' } };
  const stack = await openRewards(run, [...spec.rewards, ...spec.evaluation.rewards.map((reward) => ({ ...reward, weight: 0 })), verifier], world, device, session.scoring);
  const began = performance.now();
  const measures = await evaluateAnswers(
    {
      world, problems, samples, policy: main.live, initial: spec.models.policy.kind === 'new' ? null : initial, stack, proxy: proxyOf(spec.rewards, spec.evaluation.rewards),
      writing: { device, model: main.model, tokenizer, temperature: spec.sampling.temperature, maxTokens: spec.sampling.maxTokens, seed: spec.seed },
      facts: { runId: run.runId, attempt: run.attempt, role: main.name, update: main.updates, step: standing.step },
    },
    (rows) => findings.keep(rows),
    (done) => findings.report(done, problems, ((performance.now() - began) / 1000 / done) * (problems - done)),
  );
  await findings.result('evaluation', measures);
  await findings.metrics({
    'eval/pass_at_1': measures.passAt1, 'eval/greedy': measures.greedy, ...(measures.kl !== null && { 'eval/kl': measures.kl }), 'eval/gold': measures.gold,
    'eval/completions/mean_length': measures.meanLength, 'eval/completions/truncated': measures.truncated, ...(measures.proxy !== null && { 'eval/proxy': measures.proxy }),
  });
};

const asksWorld = (id: string): boolean => rewards.find((reward) => reward.id === id)?.needs.includes('world') ?? false;
const asksModel = (id: string): boolean => rewards.find((reward) => reward.id === id)?.needs.some((need) => need !== 'world') ?? false;

/** What stands for the reward that the world does not see: the run's own total where anything but the world counts in it, else a model recorded beside. */
const proxyOf = (own: readonly RewardSpec[], beside: readonly RewardSpec[]): string | null => {
  if (own.some(({ id, weight }) => weight !== 0 && !asksWorld(id))) return 'total';
  return beside.find(({ id }) => asksModel(id))?.id ?? null;
};
