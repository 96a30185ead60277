import { promptIdOf } from '../../../engine/random/hash.ts';
import { stream, type RandomStream } from '../../../engine/random/random.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import type { Row } from './effect.ts';

/** Asks to look again at what is in front of it. */
export const MARK = '~';
export const sampling = { maxTokens: 24 };

/** Arithmetic of one operation, with operands from 0 on. */
export const oneOperation = (largestOperand: number, largestValue: number) =>
  ({
    kind: 'world',
    id: 'arithmetic',
    params: {
      oneStep: 1,
      twoSteps: 0,
      smallestOperand: 0,
      largestOperand,
      largestValue,
      wrong: 0,
      rambling: 0,
    },
  }) as const;
type Task = ReturnType<typeof oneOperation>;

/** What stands in front of an answer: the problem alone; a wrong line, or the right one, and the mark. */
export type Given = 'prompt' | 'wrong' | 'right';

/** A problem with its worked line, and the same line with a slip of one to three. */
const problemOf = (task: Task, at: number, seed: number, draw: RandomStream) => {
  const { prompt, reference } = openWorldById(task.id, task.params).problem('train', at, seed);
  const begun = prompt.replace('?', '');
  const slip = Number(reference) + (1 + draw.int(3)) * draw.pick([1, -1]);
  return { prompt, reference, slip, wrong: `${begun}${slip}\n`, right: `${begun}${reference}\n` };
};

/**
 * Worked answers: a fifth carry a slip to the end, a tenth look again at it, the others are right at once.
 */
export const workedAnswers = (task: Task, seed: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => {
    const draw = stream(seed, 'worked', at);
    const { prompt, reference, slip, wrong, right } = problemOf(task, at, seed, draw);
    const u = draw.next();
    if (u < 0.2) return { prompt, answer: `${wrong}#${slip}` };
    return { prompt, answer: `${u < 0.3 ? wrong + MARK : ''}${right}#${reference}` };
  });

/** Problems of one kind in `askedProblems`. */
const ASKED = 100;

/** A hundred problems, with what is given in front of the answer. */
export const askedProblems = (task: Task, seed: number, given: Given) =>
  Array.from({ length: ASKED }, (_, at) => {
    const problem = problemOf(task, at, seed + 500, stream(seed, 'asked', at));
    const { reference } = problem;
    const prompt = given === 'prompt' ? problem.prompt : problem.prompt + problem[given] + MARK;
    return { promptId: promptIdOf(prompt), prompt, reference, answer: `#${reference}` };
  });

/** The start: learns worked answers. */
export const learnsWorked = (
  seed: number,
  datasetId: string,
  budget: { readonly steps: number; readonly batch: number },
) => ({
  id: 'base',
  spec: {
    method: { id: 'sft' },
    optimizer: { learningRate: 5e-3, beta2: 0.95, schedule: 'linear' },
    budget,
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 48, layers: 1, heads: 2, context: 64 },
        tokenizer: { kind: 'bytes' },
      },
    },
    task: { kind: 'dataset', datasetId, heldout: 0 },
    sampling,
    evaluation: { problems: 0 },
    seed,
  },
});

/** Four answers of a policy to each problem of `kinds` kinds, scored by their last line. */
export const answersTo = (policy: string, datasetId: string, seed: number, kinds = 1) => ({
  id: `${policy}-answers`,
  spec: {
    method: { id: 'sample', params: { groupSize: 4 } },
    task: { kind: 'dataset', datasetId, heldout: 0, onlyCorrect: false },
    models: { policy: { kind: 'checkpoint', checkpointId: { node: policy } } },
    rewards: [{ id: 'match/pattern', params: { pattern: '#(-?\\d+)$' } }],
    budget: { steps: kinds, batch: ASKED },
    sampling,
    evaluation: { problems: 0 },
    seed,
  },
});
