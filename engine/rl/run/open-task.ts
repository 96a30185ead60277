/** Opens what a run learns from and the model that learns it. */
import type { Model } from '../../models/model.ts';
import { part, pause } from '../../pace/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Problem } from '../kernel/columns.ts';
import type { Method } from '../kernel/method.ts';
import { methodOf } from '../methods/index.ts';
import { encodeAhead } from '../tasks/encoding.ts';
import { fitting, type LeftOut } from '../tasks/fitting.ts';
import { taskKindOf } from '../tasks/kinds/index.ts';
import { loadTaskData } from '../tasks/load-task-data.ts';
import { asksAnswers, comparesWithReferences } from '../tasks/references.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { headOf, openModel, withTexts } from './open-model.ts';

/** What may stand in for what a spec names. */
export interface Substitutes {
  /**
   * Changes what the run learns from before it begins: how a test shuffles the targets, and sees a method
   * fail.
   */
  readonly prepare?: (data: TaskData) => TaskData;
  /** A method that is not in the list. */
  readonly method?: Method;
}

/** What a run reads from files: nothing in it changes while the run learns. */
export interface OpenedTask {
  readonly method: Method;
  /** Whole: with the rows that the model cannot read. */
  readonly data: TaskData;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  /** What the model took beside a copy of it with another head, in bytes. */
  readonly copiedBytes: number;
}

/** Loads the data and the model of a run, and encodes the data. */
export const openTask = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  { prepare = (data) => data, method = methodOf(run.spec) }: Substitutes = {},
): Promise<OpenedTask> => {
  const { spec, resources } = run;
  const kind = taskKindOf(method);
  const texts = method.texts(spec.method.params);
  const data = prepare(withTexts(await loadTaskData(spec, resources, kind), texts));
  const { model, tokenizer, copiedBytes } = await openModel(run, data, headOf(method));
  await pause(0.5);
  await part(0.5, 1, () => encodeAhead(data, kind.trainsOn, tokenizer));
  // what the method writes itself must be spelled as well
  for (const text of texts) tokenizer.encode(text);
  return { method, data, model, tokenizer, copiedBytes };
};

/** The data without the rows that the model cannot read, which are counted as they are met. */
export const readableData = (
  spec: RunSpec,
  { method, data, model, tokenizer }: OpenedTask,
): { readonly data: TaskData; readonly leftOut: LeftOut } => {
  const { material, leftOut } = fitting(data, {
    trainsOn: taskKindOf(method).trainsOn,
    produces: method.produces,
    source: spec.models.policy.kind,
    tokenizer,
    context: model.config.context,
    maxTokens: spec.sampling.maxTokens,
    bySteps: method.judgeOutput(spec.method.params)?.kind === 'steps',
    asksAnswers: spec.rewards.some(asksAnswers),
    problems: examined(spec, method, data),
  });
  return { data: material, leftOut };
};

/**
 * The held-out problems that the run's policy is asked: a world's, or those of a dataset whose references a
 * verifier compares with. None where it is not examined.
 */
const examined = (
  { evaluation, rewards }: RunSpec,
  { produces }: Method,
  { evaluationWorld, heldout }: TaskData,
): readonly Problem[] => {
  if (produces !== 'policy' || evaluation.problems === 0) return [];
  if (evaluationWorld)
    return Array.from({ length: evaluation.problems }, (_, index) =>
      evaluationWorld.problem('heldout', index, 0),
    );
  return [...rewards, ...evaluation.rewards].some(comparesWithReferences)
    ? heldout.problems.slice(0, evaluation.problems)
    : [];
};
