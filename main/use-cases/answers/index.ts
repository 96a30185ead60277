import { eachOperator, operate, readReferences } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { OperatorSpec } from '../../../engine/schema/plan.ts';
import type { AnswersFrom, AnswersProgress } from '../../../preload/contract/answers.ts';
import type { Dataset } from '../../../preload/contract/datasets.ts';
import { sortText } from '../../../preload/wire/sample-query.ts';
import type { Services } from '../../services/services.ts';
import { cancelled, timer } from '../reading.ts';
import { MOST_ANSWERS, tooMany } from './most.ts';
import { answersOfModel, type LeftOutPrompt } from './of-model.ts';
import { answersOfRun, type Batch } from './of-run.ts';
import { answersOfSamples } from './of-samples.ts';
import { withReferences } from './references.ts';
import { StagedAnswers, type AnswerRow } from './staged.ts';

interface SaveInput {
  readonly from: AnswersFrom;
  readonly name: string;
  /** Result of a cancellation: nothing, or a dataset of the answers made so far. */
  readonly keep: 'nothing' | 'done';
  /** From answers to rows, in this order. */
  readonly operators: readonly OperatorSpec[];
}

/** Prompts left out that are named. */
const shown = 5;
/** Rows appended at once. */
const PAGE = 1000;

/**
 * Saves the answers of a run or a model as a new dataset, or what operators make of them, visible when it is
 * complete. Throws `cancelled`; with `keep: 'done'` the answers made so far are kept then, and the dataset's
 * name says so. Throws `invalid-input` with the place of an operator that cannot be applied, before any
 * answer is read where that can be told.
 */
export async function saveAnswers(
  services: Services,
  { from, name, keep, operators }: SaveInput,
  signal: AbortSignal,
  push: (progress: AnswersProgress) => void,
): Promise<Dataset> {
  const { store } = services;
  eachOperator(operators, '', (operator, params) => operator.parse(params));
  const about = await aboutOf(services, from);
  const left = timer();
  let progress = { done: 0, total: 0 };
  let faults = 0;
  const staged = await StagedAnswers.open(store, { name, ...throughOf(about, operators) });
  const held: AnswerRow[] = [];
  const add = async (batch: Batch): Promise<void> => {
    if (operators.length === 0) await staged.append(batch.rows);
    else held.push(...batch.rows);
    if (held.length > MOST_ANSWERS) throw tooMany();
    progress = batch;
    faults += batch.faults;
    push({
      state: 'saving',
      done: batch.done,
      total: batch.total,
      secondsLeft: left(batch.done / batch.total),
    });
    if (signal.aborted) throw cancelled();
  };
  try {
    let leftOut: readonly LeftOutPrompt[] = [];
    if (from.kind === 'run') for await (const batch of answersOfRun(store, from)) await add(batch);
    else if (from.kind === 'samples')
      for await (const batch of answersOfSamples(services, from, signal)) await add(batch);
    else leftOut = await answersOfModel(services, from, signal, add);
    if (held.length > 0) {
      const answers = readReferences(operators) ? await withReferences(store, held, signal) : held;
      await appendMade(staged, answers, operators);
    }
    if (staged.rows === 0)
      throw new WhetstoneError('invalid-input', 'No row matches, so there is no prompt to answer.', {
        where: 'query',
        hint: 'Choose other rows.',
      });
    const dataset = await staged.finish();
    push({
      state: 'done',
      dataset,
      scoringFaults: faults,
      leftOut: { count: leftOut.length, first: leftOut.slice(0, shown) },
    });
    return dataset;
  } catch (error) {
    const isPart = keep === 'done' && signal.aborted && staged.rows > 0;
    if (!isPart) await staged.discard();
    else await staged.finish(`${name} (${progress.done} of ${progress.total})`);
    throw error;
  }
}

/** The rows that operators make of answers. Throws `invalid-input` if they leave none. */
async function appendMade(
  staged: StagedAnswers,
  answers: readonly AnswerRow[],
  operators: readonly OperatorSpec[],
): Promise<void> {
  const rows = operate(answers, operators, '');
  if (rows.length === 0)
    throw new WhetstoneError('invalid-input', `The operators leave none of ${answers.length} answers.`, {
      where: 'operators',
      hint: 'Sample more answers to each prompt, or choose wider bounds.',
    });
  for (let at = 0; at < rows.length; at += PAGE) await staged.append(rows.slice(at, at + PAGE));
}

const throughOf = ({ source, why }: About, operators: readonly OperatorSpec[]): About => ({
  source,
  why: operators.length === 0 ? why : `${why} Made by ${operators.map(({ id }) => id).join(', ')}.`,
});

interface About {
  readonly source: string;
  readonly why: string;
}

async function aboutOf({ store }: Services, from: AnswersFrom): Promise<About> {
  if (from.kind === 'run') {
    const { name } = await store.runs.get(from.runId);
    return {
      source: `run ${from.runId}`,
      why: `The ${from.purpose ?? 'stored'} answers of the run “${name}”.`,
    };
  }
  if (from.kind === 'samples') {
    const runs = await Promise.all(from.runIds.map((id) => store.runs.get(id)));
    const sorted = from.sort ? `, sorted by ${sortText(from.sort)}` : '';
    return {
      source: `run ${from.runIds.join(', ')}`,
      why:
        `${from.ids ? 'Chosen answers' : 'Answers'} of ${runs.map(({ name }) => `“${name}”`).join(', ')}` +
        `${from.query === '' ? '' : ` (${from.query})`}${from.view === 'distinct' ? ', equal ones once' : ''}${sorted}.`,
    };
  }
  const { name } = await store.datasets.get(from.datasetId);
  const { model, samples, temperature, seed, query } = from;
  return {
    source: `${model.kind} ${model.id}`,
    why:
      `${samples} answers of the ${model.kind} ${model.id} to each prompt of “${name}”` +
      `${query === '' ? '' : ` (${query})`}, at temperature ${temperature}, seed ${seed}.`,
  };
}
