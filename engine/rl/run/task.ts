/** What a run learns: its specification, its method with the recipe, and the data as the model reads them. */
import type { JudgeOutput } from '../../schema/judge-output.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Method } from '../kernel/method.ts';
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
  /** Without the rows that are too long for the model. */
  readonly data: TaskData;
  /** How many rows were too long, of those that the model would have been trained and judged on. */
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

  /** How the model is read as a judge; undefined for a method that makes none. */
  get judgeOutput(): JudgeOutput | undefined {
    return this.method.judgeOutput(this.spec.method.params);
  }

  /** Whether the model is evaluated: one that only makes rows is not. */
  get isEvaluated(): boolean {
    return this.method.produces !== 'rows';
  }

  /** Held-out problems that a policy is asked at most; 0 for another model. */
  get problemsAsked(): number {
    return this.method.produces === 'policy' ? this.spec.evaluation.problems : 0;
  }

  /** The same task with so many held-out problems at most, and as many rows of a world. */
  withFewerHeldout(most: number): Task {
    const { spec, method, recipe, data, leftOut, tokenizer } = this;
    const { heldout, world } = data;
    const problems = Math.min(spec.evaluation.problems, most);
    // of a world as many rows are held out as problems are asked; those of a file are all looked at
    const rows = world ? problems : Infinity;
    const fewer = {
      ...heldout,
      examples: heldout.examples.slice(0, rows),
      pairs: heldout.pairs.slice(0, rows),
      graded: heldout.graded.slice(0, rows),
    };
    return new Task({
      spec: { ...spec, evaluation: { ...spec.evaluation, problems } },
      method,
      recipe,
      data: { ...data, heldout: fewer },
      leftOut,
      tokenizer,
    });
  }
}
