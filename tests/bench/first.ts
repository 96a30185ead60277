/**
 * The first paths that the app recommends, as a newcomer takes them: the form behind “Train a base policy”
 * unchanged, then the form behind “Start a run from it”; and the form that a label set opens. The
 * specifications come from the page's own code, so that a changed default shows here.
 */
import './page-state.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusteredMeanInterval, wilson } from '../../engine/index.ts';
import { Config } from '../../main/services/config.ts';
import * as demo from '../../main/demo/plan.ts';
import { simulatedVerdict } from '../../main/plans/simulated-labeler.ts';
import { openServices, type OpenServices } from '../../main/headless/open.ts';
import type { PolicyEvaluation, RewardInspection } from '../../engine/schema/evaluation.ts';
import type { Sample } from '../../preload/contract/runs.ts';
import { startFrom, trainBase } from '../../renderer/lib/starts.ts';
import { clientOf } from '../support/client.ts';
import { rounded, say } from './figures.ts';

/**
 * One measure of one path. `interval`: 95 % of after − before over the problems, null if single answers are
 * not kept.
 */
export interface Walked {
  readonly path: string;
  readonly seed: number;
  readonly measure: string;
  readonly before: number;
  readonly after: number;
  readonly interval: readonly [number, number] | null;
  readonly ok: boolean;
}

interface Trained {
  readonly evaluation: PolicyEvaluation;
  readonly answers: readonly Sample[];
  readonly checkpointId: string;
}

interface Started {
  readonly runId: string;
  readonly warning: string | null;
}

type Query = Readonly<Record<string, string | undefined>>;

/**
 * The run of a form that a button opens, changed only by `own`, and what the form says beforehand about why
 * its result will show nothing.
 */
async function launched({ api }: OpenServices, query: Query, own: Chosen): Promise<Started> {
  const { LaunchView } = await import('../../renderer/views/launch.svelte.ts');
  let runId = '';
  const view = new LaunchView(clientOf(api), (launched) => {
    ({ runId } = launched);
  });
  await view.load(query);
  const form = view.launch;
  if (!form) throw new Error('The form did not open.');
  for (const [path, value] of own) form.draft.set(path, value);
  form.checkSoon();
  const warning = form.advice.tooFewHeldOut;
  if (warning) say(warning);
  await form.launch();
  if (runId === '')
    throw new Error(
      'The form launched nothing: ' +
        `${form.error()?.message ?? form.estimate.error?.message ?? 'the run does not fit into memory'}`,
    );
  return { runId, warning };
}

async function trained(bench: OpenServices, { runId }: Started, title: string): Promise<Trained> {
  const { api, waitForRun } = bench;
  const { state, spec, error, startedAt, endedAt } = await waitForRun(runId);
  if (state !== 'done' || spec === null)
    throw new Error(`${title} ended as ${state}: ${error?.message ?? 'without an error'}`);
  const evaluation = (await api.runs.results({ id: runId })).findLast(({ kind }) => kind === 'evaluation')
    ?.value as PolicyEvaluation | undefined;
  const checkpointId = (await api.runs.checkpoints({ runId })).find(({ final }) => final)?.id;
  if (!evaluation || checkpointId === undefined)
    throw new Error(`${title} left no evaluation or no checkpoint.`);
  const answers = await answersOf(bench, runId, evaluation.step);
  const seconds = ((endedAt ?? 0) - (startedAt ?? 0)) / 1000;
  const {
    passAt1,
    passAt1Interval: [low, high],
    greedy,
  } = evaluation;
  say(
    `${title}: pass@1 ${rounded(passAt1)} [${rounded(low)}, ${rounded(high)}], pass@8 ` +
      `${rounded(passAt(evaluation))}, greedy ${rounded(greedy)}, ${Math.round(seconds)} s`,
  );
  return { evaluation, answers, checkpointId };
}

/** Answers of the evaluation at a step. */
async function answersOf({ api }: OpenServices, runId: string, step: number): Promise<Sample[]> {
  const found: Sample[] = [];
  for (;;) {
    const { total, samples } = await api.runs.samples({
      runIds: [runId],
      purpose: 'evaluation',
      promptId: null,
      step,
      order: 'oldest',
      offset: found.length,
      limit: 500,
    });
    found.push(...samples);
    if (samples.length === 0 || found.length >= total) return found;
  }
}

/** Unbiased pass@k for the largest k measured. */
const passAt = ({ passAtK, samples }: PolicyEvaluation): number =>
  passAtK.find(({ k }) => k === samples)?.value ?? NaN;

/** Right answers by prompt. */
const rightOf = ({ answers, evaluation }: Trained): Map<string, { sum: number; n: number }> => {
  const found = new Map<string, { sum: number; n: number }>();
  for (const { promptId, scores } of answers) {
    const prompt = found.get(promptId) ?? { sum: 0, n: 0 };
    prompt.sum += Number(scores.verifier === 1);
    prompt.n += 1;
    found.set(promptId, prompt);
  }
  const share = [...found.values()].reduce((sum, each) => sum + each.sum, 0) / answers.length;
  if (Math.abs(share - evaluation.passAt1) > 1e-9)
    throw new Error(`The stored answers are right in ${share}, the evaluation says ${evaluation.passAt1}.`);
  return found;
};

/** Gain in right answers over the same problems, resampled by prompt. */
const gained = (before: Trained, after: Trained): [number, number] => {
  const was = rightOf(before);
  const clusters = [...rightOf(after)].map(([promptId, { sum, n }]) => {
    const own = was.get(promptId);
    if (own?.n !== n) throw new Error('The two policies were asked different problems.');
    return { sum: sum - own.sum, n };
  });
  const [low, high] = clusteredMeanInterval(clusters);
  return [rounded(low), rounded(high)];
};

/** pass@1 that a path must gain at least, if anything. */
const LEAST_GAIN = 0.1;
/** pass@k that a path may lose at most. */
const MOST_LOSS = 0.05;

/**
 * The gain in pass@1 with its interval: at least .10 and significant where a path `mustGain`, elsewhere not
 * significantly negative. pass@k loses at most .05, and greedy stays within its 95 % interval.
 */
const compared = (
  { path, seed, mustGain }: { readonly path: string; readonly seed: number; readonly mustGain: boolean },
  before: Trained,
  after: Trained,
): Walked[] => {
  const { samples, problems } = before.evaluation;
  const interval = gained(before, after);
  const kept = (measure: string, of: (evaluation: PolicyEvaluation) => number): Walked => {
    const was = of(before.evaluation);
    const is = of(after.evaluation);
    const ok = measure === 'greedy' ? is >= wilson(was * problems, problems)[0] : is >= was - MOST_LOSS;
    return { path, seed, measure, before: rounded(was), after: rounded(is), interval: null, ok };
  };
  const gain = kept('pass@1', ({ passAt1 }) => passAt1);
  const ok = mustGain ? gain.after - gain.before >= LEAST_GAIN && interval[0] > 0 : interval[1] >= 0;
  return [{ ...gain, interval, ok }, kept(`pass@${samples}`, passAt), kept('greedy', ({ greedy }) => greedy)];
};

type Chosen = readonly (readonly [path: readonly string[], value: unknown])[];

/** Smaller settings for both forms, for a test of a few seconds. */
const tinySizes: Chosen = [
  [['budget', 'steps'], 2],
  [['budget', 'batch'], 2],
  [['sampling', 'maxTokens'], 4],
  [['evaluation', 'problems'], 6],
  [['evaluation', 'samples'], 2],
  [['evaluation', 'every'], 1],
];

/**
 * A label set of so many decisions: the policy answers new prompts, and the demo's labeler, who errs in one
 * of ten, decides the pairs.
 */
async function labeled(
  bench: OpenServices,
  { from, seed, labels }: { readonly from: string; readonly seed: number; readonly labels: number },
): Promise<string> {
  const { api } = bench;
  // four pairs of six answers per prompt, of which up to half are duplicates
  const written = await api.runs.launch({
    spec: { ...demo.samples(from, seed), budget: { steps: 2, batch: Math.ceil(labels / 4) } },
  });
  const { state, error } = await bench.waitForRun(written.runId);
  if (state !== 'done') throw new Error(`The answers ended as ${state}: ${error?.message ?? 'no error'}`);
  const { id } = await api.labels.createSet({
    name: 'scripted labels',
    from: { kind: 'run', runId: written.runId },
    pairsPerPrompt: demo.sizes.pairs.perPrompt,
    onlyDiffering: false,
    seed,
  });
  const { pairs } = await api.labels.pairs({ setId: id, offset: 0, limit: labels });
  if (pairs.length < labels) throw new Error(`There are ${pairs.length} pairs to label, not ${labels}.`);
  const decide = { noise: demo.sizes.labelNoise, seed };
  await api.labels.decideMany({
    labeler: 'scripted',
    decisions: pairs.map((pair) => ({ pairId: pair.pairId, verdict: simulatedVerdict(pair, decide) })),
  });
  return id;
}

/** Held-out accuracy of a reward model over the better length rule, unless the form said it cannot show. */
async function judged(
  bench: OpenServices,
  { runId, warning }: Started,
  at: { path: string; seed: number },
): Promise<Walked> {
  const { state, error, startedAt, endedAt } = await bench.waitForRun(runId);
  const inspection = (await bench.api.runs.results({ id: runId })).findLast(
    ({ kind }) => kind === 'reward-inspection',
  )?.value as RewardInspection | undefined;
  if (state !== 'done' || !inspection)
    throw new Error(`The reward model ended as ${state}: ${error?.message ?? 'without an inspection'}`);
  const { accuracy, accuracyInterval, baselines, pairs } = inspection;
  const best = Math.max(baselines.longest, baselines.shortest);
  const [low, high] = accuracyInterval.map((end) => rounded(end - best));
  say(
    `reward model, seed ${at.seed}: ${rounded(accuracy)} of ${pairs} held-out pairs, length alone ` +
      `${rounded(best)}, ${Math.round(((endedAt ?? 0) - (startedAt ?? 0)) / 1000)} s`,
  );
  return {
    ...at,
    measure: 'accuracy over length',
    before: rounded(best),
    after: rounded(accuracy),
    interval: [low, high],
    ok: low > 0 || warning !== null,
  };
}

interface Walks {
  readonly seeds: readonly number[];
  /** Number of labeled pairs for DPO. */
  readonly labels?: number;
  /** Steps of DPO instead of the form's own, which are one epoch of the labels. */
  readonly steps?: number;
  readonly tiny?: boolean;
}

/** Measures the paths once per seed, in a temporary workspace. */
export async function measureFirst({ seeds, labels = 200, steps, tiny = false }: Walks): Promise<Walked[]> {
  const found: Walked[] = [];
  for (const seed of seeds) {
    const folder = await mkdtemp(join(tmpdir(), 'whetstone-first-'));
    const bench = await openServices({
      workspacePath: join(folder, 'workspace'),
      create: true,
      config: new Config(join(folder, 'config')),
    });
    try {
      const own: Chosen = [[['seed'], seed], ...(tiny ? tinySizes : [])];
      const base = await trained(bench, await launched(bench, trainBase(), own), `base, seed ${seed}`);

      const set = await labeled(bench, { from: base.checkpointId, seed, labels });
      const passes: Chosen = steps === undefined ? [] : [[['budget', 'steps'], steps]];
      const name = `DPO on ${labels} labels${steps === undefined ? '' : `, ${steps} steps`}`;
      const dpoRun = await launched(bench, { labels: set }, [...own, ...passes]);
      const dpo = await trained(bench, dpoRun, `${name}, seed ${seed}`);
      found.push(...compared({ path: `base → ${name}`, seed, mustGain: false }, base, dpo));

      const judgeRun = await launched(bench, { labels: set, produces: 'reward' }, own);
      found.push(await judged(bench, judgeRun, { path: `${labels} labels → reward model`, seed }));

      const grpoRun = await launched(bench, startFrom(base.checkpointId), own);
      const grpo = await trained(bench, grpoRun, `GRPO, seed ${seed}`);
      found.push(...compared({ path: 'base → GRPO', seed, mustGain: true }, base, grpo));
    } finally {
      await bench.close();
      await rm(folder, { recursive: true, force: true });
    }
  }
  return found;
}
