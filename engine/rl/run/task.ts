/** A run's task: its specification, its method with the recipe, and the data within the model's context. */
import type { JudgeOutput } from '../../schema/judge-output.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Method, SearchSettings } from '../kernel/method.ts';
import type { Recipe } from '../kernel/recipe.ts';
import type { LeftOut } from '../tasks/fitting.ts';
import type { TaskData } from '../tasks/task-data.ts';

interface TaskParts {
  readonly spec: RunSpec;
  readonly method: Method;
  readonly recipe: Recipe;
  readonly data: TaskData;
  readonly leftOut: LeftOut;
  readonly tokenizer: Tokenizer;
}

export class Task {
  readonly spec: RunSpec;
  readonly method: Method;
  readonly recipe: Recipe;
  /** Data without rows beyond the model's context. */
  readonly data: TaskData;
  /** Counts of the training and held-out rows beyond the context. */
  readonly leftOut: LeftOut;
  readonly tokenizer: Tokenizer;

  constructor({ spec, method, recipe, data, leftOut, tokenizer }: TaskParts) {
    this.spec = spec;
    this.method = method;
    this.recipe = recipe;
    this.data = data;
    this.leftOut = leftOut;
    this.tokenizer = tokenizer;
  }

  /** Interpretation of the model's output as a judge; undefined for a method that trains none. */
  get judgeOutput(): JudgeOutput | undefined {
    return this.method.judgeOutput(this.spec.method.params);
  }

  /** True if the model is evaluated, or a search measured; false for a method that only makes rows. */
  get isEvaluated(): boolean {
    return this.method.produces !== 'rows' || this.search !== undefined;
  }

  /** Settings of a test-time search; undefined for any other method. */
  get search(): SearchSettings | undefined {
    return this.method.search(this.spec.method.params);
  }

  /** Maximum number of held-out problems in a policy's evaluation; 0 for another model. */
  get evalProblems(): number {
    return this.method.produces === 'policy' ? this.spec.evaluation.problems : 0;
  }

  /** The task with at most this many held-out problems, and as many held-out rows of a world. */
  withFewerHeldout(most: number): Task {
    const { spec, method, recipe, data, leftOut, tokenizer } = this;
    const { heldout, world } = data;
    const problems = Math.min(spec.evaluation.problems, most);
    // a world's held-out rows are cut to the number of problems; a file's are all kept
    const rows = world ? problems : Infinity;
    const fewer = {
      ...heldout,
      examples: heldout.examples.slice(0, rows),
      pairs: heldout.pairs.slice(0, rows),
      graded: heldout.graded.slice(0, rows),
    };
    return new Task({
      spec: {
        ...spec,
        evaluation: { ...spec.evaluation, problems },
        ...(spec.evaluations && {
          evaluations: spec.evaluations.map((one) => ({ ...one, problems: Math.min(one.problems, most) })),
        }),
      },
      method,
      recipe,
      data: { ...data, heldout: fewer },
      leftOut,
      tokenizer,
    });
  }
}
