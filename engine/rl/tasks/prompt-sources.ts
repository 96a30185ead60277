/** Row sources of prompts for sampling, optionally with hints or worked answers. */
import { WhetstoneError } from '../../common/errors.ts';
import type { Problem } from '../kernel/columns.ts';
import { CANDIDATES } from '../kernel/control.ts';
import { ragged, rowOf } from '../kernel/rows.ts';
import { stage, type StageContext } from '../kernel/stage.ts';
import { encodePrompts, type EncodingOptions } from './encoding.ts';
import type { IndexedStream, Example, TaskData } from './task-data.ts';
import { drawn, ids, problemOf } from './source-columns.ts';

/** The next problems: in order, or selected from candidates by a controller. */
const nextProblems = (
  problems: Pick<IndexedStream<Problem>, 'at'>,
  context: StageContext,
): readonly Problem[] => {
  const { draw, batch, control } = context;
  if (!control.chooses) return Array.from({ length: batch }, (_, i) => problems.at(draw * batch + i));
  const candidates = Array.from({ length: batch * CANDIDATES }, (_, i) =>
    problems.at(draw * batch * CANDIDATES + i),
  );
  return control.choose(candidates, batch, context);
};

/**
 * The next problems; a controller sets how much of the worked answer is appended to the prompt. An answer
 * always keeps enough room.
 */
const hinted = (
  worked: IndexedStream<Example> | undefined,
  context: StageContext,
  options: EncodingOptions,
  name: string,
) => {
  if (!worked || worked.size === 0) {
    throw new WhetstoneError(
      'invalid-input',
      `There are no right worked answers in the training part of ${name}, so a controller cannot give hints.`,
      {
        where: 'controllers',
        hint:
          'Remove the controller, or choose a task that has some: a world, or a dataset with answers ' +
          'that are marked right.',
      },
    );
  }
  const examples = new Map<Problem, Example>();
  const problems = nextProblems(
    {
      at: (draw) => {
        const example = worked.at(draw);
        const problem = problemOf(example);
        examples.set(problem, example);
        return problem;
      },
    },
    context,
  );
  const shares = context.control.shown(problems, context);
  const prompts = encodePrompts(problems, options);
  const rows = problems.map((problem, p) => {
    const prompt = rowOf(prompts, p);
    const answer = options.tokenizer.encode(examples.get(problem)?.answer ?? '');
    const length = Math.min(
      Math.round(shares[p] * answer.length),
      options.context - options.maxTokens - prompt.length,
    );
    const tokens = [...answer.slice(0, Math.max(0, length))];
    return {
      problem: { ...problem, hint: { share: shares[p], tokens } },
      prompt: Int32Array.of(...prompt, ...tokens),
    };
  });
  return {
    problem: rows.map((row) => row.problem),
    prompt: ragged(rows, Int32Array, (row) => row.prompt),
  };
};

/** Prompts, with hints if a controller gives them. */
export const prompts = ({ problems, worked, name }: TaskData, options: EncodingOptions) =>
  stage({
    id: 'prompts',
    needs: [],
    adds: ['promptId', 'problem', 'prompt'],
    run: async (_, context) => {
      if (!problems || problems.size === 0)
        throw new WhetstoneError('invalid-input', 'The task has no prompts.', { where: 'task' });
      if (context.control.hints) {
        const rows = hinted(worked, context, options, name);
        return { columns: { promptId: ids(rows.problem), ...rows } };
      }
      const problem = nextProblems(problems, context);
      return { columns: { promptId: ids(problem), problem, prompt: encodePrompts(problem, options) } };
    },
  });

/** Prompts, each with a right worked answer that includes the end mark. */
export const guided = ({ worked, name }: TaskData, options: EncodingOptions) =>
  stage({
    id: 'guided prompts',
    needs: [],
    adds: ['promptId', 'problem', 'prompt', 'worked'],
    run: async (_, context) => {
      if (!worked || worked.size === 0)
        throw new WhetstoneError(
          'invalid-input',
          `There are no right worked answers in the training part of ${name}.`,
          {
            where: 'task',
            hint: 'Choose a task that has some: a world, or a dataset with answers that are marked right.',
          },
        );
      const rows = drawn(worked, context);
      return {
        columns: {
          promptId: ids(rows),
          problem: rows.map(problemOf),
          prompt: encodePrompts(rows, options),
          worked: ragged(rows, Int32Array, ({ answer }) =>
            Int32Array.of(...options.tokenizer.encode(answer), options.tokenizer.end),
          ),
        },
      };
    },
  });

/**
 * The held-out problems in their order, a batch at a time; `row/problem` is the place of each. Throws
 * `invalid-input` behind the last one.
 */
export const heldoutPrompts = ({ heldout: { problems }, name }: TaskData, options: EncodingOptions) =>
  stage({
    id: 'held-out prompts',
    needs: [],
    adds: ['promptId', 'problem', 'prompt', 'row/problem'],
    run: async (_, { draw, batch }) => {
      const problem = problems.slice(draw * batch, (draw + 1) * batch);
      if (problem.length === 0)
        throw new WhetstoneError(
          'invalid-input',
          `${name} has ${problems.length} held-out problems, which ${draw} steps of ${batch} use up.`,
          { where: 'budget.steps', hint: 'Search with fewer steps.' },
        );
      return {
        columns: {
          promptId: ids(problem),
          problem,
          prompt: encodePrompts(problem, options),
          'row/problem': Float64Array.from(problem, (_each, at) => draw * batch + at),
        },
      };
    },
  });
