/** Evaluates a policy on answers that it writes to held-out problems. */
import { evaluatePolicy, type ProblemOutcome } from '../../evaluate/index.ts';
import { part, pause } from '../../pace/index.ts';
import type { Stack } from '../../rewards/stack.ts';
import type { PolicyEvaluation } from '../../schema/evaluation.ts';
import type { Trajectory } from '../../schema/trajectory.ts';
import { writeAnswers, type WriteOptions } from '../compute/answers.ts';
import type { LiveModel } from '../compute/live-model.ts';
import type { Problem } from '../kernel/columns.ts';
import { trajectories, type RecordFacts } from '../kernel/recorder.ts';
import { gather, maskedCounts, maskedSums, observedRow } from '../kernel/rows.ts';
import { sampleNumbers } from '../parts/samplers/sample-groups.ts';
import { encodePrompts } from '../tasks/encoding.ts';
import type { EvalTask } from './eval-task.ts';
import { latentAnswers, type LatentProblem } from './latent-answers.ts';
import { answerRows } from './model-scorers.ts';

export interface PolicyQuestion {
  readonly evalTask: EvalTask;
  readonly problems: number;
  readonly samples: number;
  readonly policy: LiveModel;
  /** Null if the run began with random weights. */
  readonly initial: LiveModel | null;
  /**
   * Scorers of the answers. `proxy` names the training reward if that is not the task's own verdict: the
   * stack's total, or a scorer.
   */
  readonly stack: Stack;
  readonly proxy: string | null;
  readonly writing: Omit<WriteOptions, 'purpose' | 'step' | 'seed'> & { readonly seed: number };
  readonly facts: Omit<RecordFacts, 'purpose' | 'temperature' | 'decode'>;
}

/** Number of problems per pass; progress is reported after each. */
const PORTION = 64;

/**
 * Evaluates a policy on the first problems, the same in every run, and keeps every sampled answer. Reports
 * progress in problems. KL is to the run's initial policy at the sampling temperature, and null without one.
 */
export const evaluateAnswers = async (
  question: PolicyQuestion,
  keep: (rows: readonly Trajectory[]) => Promise<void>,
): Promise<PolicyEvaluation> => {
  const { evalTask, samples, writing, facts } = question;
  const problems = evalTask.problems(question.problems);
  const numbers = sampleNumbers(
    problems.map(({ promptId }) => promptId),
    samples,
  );
  const outcomes: (ProblemOutcome & LatentProblem)[] = [];
  for (let from = 0; from < problems.length; from += PORTION) {
    const portion = problems.slice(from, from + PORTION);
    const to = from + portion.length;
    outcomes.push(
      ...(await part(from / problems.length, to / problems.length, () =>
        answerPortion(question, portion, numbers.subarray(from * samples, to * samples), keep),
      )),
    );
    await pause(to / problems.length);
  }
  const latents = latentAnswers(outcomes, writing.seed);
  return {
    ...evaluatePolicy({ step: facts.step, problems: outcomes, seed: writing.seed }),
    ...(latents && { latents }),
  };
};

const answerPortion = async (
  question: PolicyQuestion,
  problems: readonly Problem[],
  sample: Float64Array,
  keep: (rows: readonly Trajectory[]) => Promise<void>,
) => {
  const { evalTask, samples, initial, stack, proxy, writing, facts } = question;
  const { from_R, problem, answers, greedy } = await writePortion(question, problems, sample);
  const rows = { ...answers, problem, sample };
  // scorers that compare a prompt's answers see the same groups as in training
  const scored = answerRows({ ...rows, groupId: Float64Array.from(from_R) });
  const { total, raw } = await part(0.9, 0.95, () => stack.score(scored));
  const verdicts = await part(0.95, 0.97, () => evalTask.judge(scored, raw));
  const greedyVerdicts = await part(0.97, 0.98, () =>
    evalTask.judge(answerRows({ ...greedy, problem: problems })),
  );
  const { temperature, tokenizer } = writing;
  const decode = (tokens: ArrayLike<number>): string => tokenizer.decode(tokens);
  await keep(trajectories(rows, raw, { ...facts, purpose: 'evaluation', temperature, decode }));
  const kept = answers.keptLogp && maskedSums(answers.keptLogp, answers.mask);
  // of what was really drawn from: truncated, and under hooks
  const own = maskedSums(answers.behaviorLogp, answers.mask).map((logp, r) => logp - (kept?.[r] ?? 0));
  const before =
    initial &&
    maskedSums(
      await part(0.98, 1, () => initial.logp(answers.tokens, writing.temperature, answers.mask)),
      answers.mask,
    );
  const tokens = maskedCounts(answers.mask);
  // the direction is stored with the first token
  const width = answers.tokens.observed?.width;
  const climbed = proxy === null ? null : proxy === 'total' ? total : raw[proxy];
  return problems.map(({ promptId, prompt, level }, p) => ({
    promptId,
    prompt,
    ...(level !== undefined && { level }),
    greedyCorrect: greedyVerdicts[p].correct,
    answers: Array.from({ length: samples }, (_, s) => {
      const r = p * samples + s;
      return {
        correct: verdicts[r].correct,
        text: answers.completion[r],
        gold: verdicts[r].reward,
        proxy: climbed?.[r] ?? null,
        tokens: tokens[r],
        truncated: !answers.ended[r],
        logRatio: before && own[r] - before[r],
        ...(width !== undefined && { latent: observedRow(answers.tokens, r).slice(0, width) }),
      };
    }),
  }));
};

/** Samples answers to each problem, and a greedy one. */
const writePortion = async (
  { samples, policy, writing, facts }: PolicyQuestion,
  problems: readonly Problem[],
  sample: Float64Array,
) => {
  const prompts = encodePrompts(problems, {
    tokenizer: writing.tokenizer,
    context: policy.programs.graph.context,
    maxTokens: writing.maxTokens,
  });
  const from_R = Uint32Array.from({ length: problems.length * samples }, (_, r) => Math.floor(r / samples));
  const problem = gather(problems, from_R);
  const options = { ...writing, purpose: 'evaluation', step: facts.step };
  const sampled = 0.9 * (samples / (samples + 1));
  const answers = await part(0, sampled, () =>
    writeAnswers(gather(prompts, from_R), problem, sample, options),
  );
  const greedy = await part(sampled, 0.9, () =>
    writeAnswers(prompts, problems, new Float64Array(problems.length), { ...options, greedy: true }),
  );
  return { from_R, problem, answers, greedy };
};
