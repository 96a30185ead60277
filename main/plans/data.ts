import { setImmediate } from 'node:timers/promises';
import {
  operations,
  readReferences,
  wordingsOf,
  type PlannedDataNode,
  type PlanRow,
} from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { StoreClient } from '../store/client.ts';
import { withReferences } from '../use-cases/answers/references.ts';
import { answersOfRun } from '../use-cases/answers/of-run.ts';
import { StagedAnswers } from '../use-cases/answers/staged.ts';

/** Most answers of one node: operators see all of them at once. */
const MOST_ANSWERS = 500_000;
/** Rows appended at once. */
const PAGE = 1000;

/**
 * The right answer to a prompt of a run, if its world knows it: for a probe with its worked lines, which are
 * learned; for other runs only in a world without worked lines.
 */
function rightAnswers(spec: RunSpec | null): (prompt: string) => string | null {
  const wordings = wordingsOf(spec);
  if (!wordings) return () => null;
  if (spec?.method.id === 'ert') return (prompt) => wordings.worked(prompt);
  return (prompt) => {
    const answer = wordings.answer(prompt);
    return answer !== null && answer === wordings.worked(prompt) ? answer : null;
  };
}

interface Making {
  readonly node: PlannedDataNode;
  /** Name of the dataset. */
  readonly name: string;
  readonly plan: string;
  /** The runs whose answers are read, by node. */
  readonly runs: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** Gets the id of the dataset in the making, which becomes visible in its last step. */
  began(datasetId: string): Promise<void>;
}

/**
 * Makes the rows of a node: answers of earlier runs through its operators, as a dataset with their origin.
 * Deterministic in the answers. Throws `invalid-input` with the operator's path, also if no row is left;
 * `cancelled`.
 */
export async function makeData(
  store: StoreClient,
  { node, name, plan, runs, signal, began }: Making,
): Promise<void> {
  const answers: PlanRow[] = [];
  for (const [id, runId] of runs) {
    const right = rightAnswers((await store.runs.get(runId)).spec);
    for await (const { rows } of answersOfRun(store, { kind: 'run', runId, purpose: node.purpose })) {
      if (signal.aborted) throw new WhetstoneError('cancelled', 'The plan was stopped.');
      for (const row of rows)
        // what is learned from answers to held-out problems cannot be measured on these
        if (node.purpose !== undefined || row.extra?.purpose !== 'evaluation')
          answers.push({ ...row, source: id, reference: right(row.prompt) ?? row.reference });
      if (answers.length > MOST_ANSWERS)
        throw new WhetstoneError('invalid-input', `The runs have more than ${MOST_ANSWERS} answers.`, {
          where: `${node.where}.answers`,
          hint: 'Read those of one purpose only: "evaluation" or "sample".',
        });
    }
  }
  if (answers.length === 0)
    throw new WhetstoneError('invalid-input', 'The runs have answers to held-out problems only.', {
      where: `${node.where}.answers`,
      hint: 'Add a run of the method "sample", or choose these answers: "purpose": "evaluation".',
    });
  let rows: readonly PlanRow[] = readReferences(node.operators)
    ? await withReferences(store, answers, signal)
    : answers;
  for (const left of operations(rows, node.operators, node.where)) {
    rows = left;
    // one operator sees all answers; between two of them, others get their turn
    await setImmediate();
    if (signal.aborted) throw new WhetstoneError('cancelled', 'The plan was stopped.');
  }
  if (rows.length === 0)
    throw new WhetstoneError('invalid-input', `The operators leave none of ${answers.length} answers.`, {
      where: `${node.where}.operators`,
      hint: 'Sample more answers, or choose wider bounds.',
    });
  const through = node.operators.map(({ id }) => id).join(', ');
  const staged = await StagedAnswers.open(store, {
    name,
    source: `run ${[...runs.values()].join(', ')}`,
    why:
      `The ${node.purpose ?? 'training and sampled'} answers of ${[...runs.keys()].map((id) => `“${id}”`).join(', ')}` +
      `${through === '' ? '' : ` through ${through}`} in the plan “${plan}”.`,
  });
  try {
    await began(staged.id);
    for (let at = 0; at < rows.length; at += PAGE) await staged.append(rows.slice(at, at + PAGE));
    await staged.finish();
  } catch (error) {
    await staged.discard();
    throw error;
  }
}
