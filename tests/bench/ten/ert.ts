import { meanCosines } from '../../../engine/index.ts';
import { learnsFailures, learnsErrands, ordinary, probes } from '../../../main/plans/presets/probe.ts';
import { mean, type SideRuns } from '../effects/effect.ts';
import type { Claim, TenSystem } from './system.ts';

const ROUNDS = 4;
/** Tasks of a probe, each with a set of ten instructions in each round, and an answer to each. */
const size = { tasks: 60, rounds: ROUNDS, instructions: 10 };

/** How the writers of the sides differ from the whole method. */
const writers: Readonly<Record<string, object>> = {
  probe: {},
  'one-set': { sets: 1 },
  'no-examples': { follow: 0 },
  rephrase: { style: 'rephrase', sets: 1 },
  original: { style: 'original', sets: 1 },
};

const learned = (from: string, seed: number) => [
  {
    id: `learn-${from}`,
    spec: learnsFailures('policy', { probe: from, plain: 'ordinary', steps: 600 }, seed + 200),
  },
  { id: `again-${from}`, spec: probes(`learn-${from}`, size, {}, seed + 300) },
];

const plan = (seed: number) => ({
  nodes: [
    { id: 'policy', spec: learnsErrands(1500, seed) },
    ...Object.entries(writers).map(([id, params]) => ({
      id,
      spec: probes('policy', size, params, seed + 100),
    })),
    { id: 'ordinary', spec: ordinary('policy', 1500, seed + 100) },
    ...learned('probe', seed),
    ...learned('rephrase', seed),
  ],
});

type Answers = Awaited<ReturnType<SideRuns['answers']>>;
const success = (answers: Answers): number => mean(answers.map(({ scores }) => scores.verifier));
/** The answers of a round, from the first (0) or the last (−1) one. */
const ofRound = (answers: Answers, at: number): Answers => {
  const steps = [...new Set(answers.map(({ step }) => step))].sort((a, b) => a - b);
  return answers.filter(({ step }) => step === steps.at(at));
};

/**
 * 1 − the mean cosine of an instruction to those of its set, which have one task: on average over all sets.
 */
const diversity = (answers: Answers): number => 1 - mean(answers.map(({ scores }) => scores.likeness));
/** The same among the instructions of a round at which all answers were wrong, over all tasks. */
const ofFailures = (answers: Answers): number => {
  const prompts = [...Map.groupBy(ofRound(answers, -1), ({ prompt }) => prompt)];
  const failed = prompts.flatMap(([prompt, own]) => (success(own) === 0 ? [prompt] : []));
  return 1 - mean([...meanCosines(failed)]);
};

const claim = (
  title: string,
  sides: Pick<Claim, 'method' | 'baseline' | 'better' | 'measure' | 'note'>,
  number: (answers: Answers) => number,
): Claim => ({
  claim: title,
  ...sides,
  number: async (runs) => number(await runs.answers('sample')),
});
const overall = `share of right answers in all ${ROUNDS} rounds`;
const last = `share of right answers in round ${ROUNDS}`;

/**
 * A policy that has learned two errands by plain instructions and plain rephrasings, probed by instructions
 * of the same meaning: ERT, without one of its parts, and with plain rephrasings. Every writer asks for the
 * same tasks as often. The policy’s training was chosen by its success with plain instructions and plain
 * rephrasings, on seed 101.
 */
export const ert: TenSystem = {
  id: 'ert',
  cites: 'arXiv:2411.18676',
  plan,
  quickSteps: 3,
  claims: [
    claim(
      'Plain rephrasing against the task’s own words: lower success',
      { method: 'rephrase', baseline: 'original', better: 'lower', measure: overall },
      success,
    ),
    claim(
      'Found instructions against plain rephrasing: lower success',
      { method: 'probe', baseline: 'rephrase', better: 'lower', measure: overall },
      success,
    ),
    claim(
      'Examples of failures against none: lower success',
      { method: 'probe', baseline: 'no-examples', better: 'lower', measure: last },
      (answers) => success(ofRound(answers, -1)),
    ),
    {
      claim: 'The last round against the first: lower success',
      method: 'probe',
      // the no-examples writer of the same seed writes the first round of ERT again and again
      baseline: 'no-examples',
      better: 'lower',
      measure: `share of right answers: ERT in round ${ROUNDS}, against ERT in round 1`,
      number: async (runs, all) => {
        const answers = await all('probe').answers('sample');
        return success(ofRound(answers, runs.side === 'probe' ? -1 : 0));
      },
    },
    claim(
      'Five sets against one: more diverse instructions',
      {
        method: 'probe',
        baseline: 'one-set',
        better: 'higher',
        measure: '1 − mean cosine within sets, all rounds',
      },
      diversity,
    ),
    claim(
      'Five sets against one: more diverse failures at the end',
      {
        method: 'probe',
        baseline: 'one-set',
        better: 'higher',
        measure: `1 − mean cosine of the instructions without a right answer in round ${ROUNDS}`,
      },
      ofFailures,
    ),
    claim(
      'Five sets against one: no more success',
      { method: 'probe', baseline: 'one-set', better: 'lower', measure: overall },
      success,
    ),
    claim(
      'After training on the failures: higher success under instructions found anew',
      { method: 'again-probe', baseline: 'probe', better: 'higher', measure: overall },
      success,
    ),
    claim(
      'Training on these failures against those of plain rephrasing: higher success under instructions found anew',
      { method: 'again-probe', baseline: 'again-rephrase', better: 'higher', measure: overall },
      success,
    ),
  ],
};
