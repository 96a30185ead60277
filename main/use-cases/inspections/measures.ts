import {
  accuracyBySlice,
  crossFittedTemperature,
  hitAt,
  pearson,
  spearman,
  type PairNumbers,
} from '../../../engine/index.ts';
import type { TemperatureFit } from '../../../engine/schema/inspected-pair.ts';
import type { LengthPoints, SliceColumn, SliceTable } from '../../../preload/contract/inspections.ts';
import type { Services } from '../../services/services.ts';
import { ownColumns, slicesBy, tableOf } from './table.ts';

/** Most slices of a column that are listed and tested. */
const mostSlices = 100;

/** Columns about the text itself, the same in all rows, or of SQL only. */
const notSliced: ReadonlySet<string> = new Set([
  ...['row', 'line', 'prompt', 'answer', 'mark', 'right', 'note', 'messages', 'reference'],
  ...['excluded', 'edited', 'tags', 'flags', 'splits', 'findings'],
]);

/** The columns that the pairs of a run can be sliced by: of the inspection, then of the rows behind the pairs. */
export async function sliceColumns({ store }: Services, runId: string): Promise<SliceColumn[]> {
  await store.runs.get(runId);
  const { datasetId, setId } = await store.inspections.source(runId);
  const own = Object.entries(ownColumns).map(([name, { about }]) => ({ name, about }));
  const labeler = setId === null ? [] : [{ name: 'labeler', about: 'who labeled the pair' }];
  if (datasetId === null) return [...own, ...labeler];
  const columns = await store.sql.columns(datasetId);
  const taken = new Set([...own, ...labeler].map(({ name }) => name));
  const ofRows = columns
    .filter(({ name }) => !notSliced.has(name) && !taken.has(name) && name !== 'tag' && name !== 'turns')
    .map(({ name, about }) => ({ name, about }));
  return [
    ...own,
    ...labeler,
    { name: 'tag', about: 'tags of either row' },
    { name: 'turns', about: 'messages of the user in the conversation' },
    ...ofRows,
  ];
}

/** Accuracy on the slices of some columns, which are one family of tests. */
export async function slicesOf(
  services: Services,
  { runId, by }: { readonly runId: string; readonly by: readonly string[] },
): Promise<SliceTable> {
  const table = await tableOf(services, runId);
  const { numbers, decided } = table;
  const all = await Promise.all(
    [...new Set(by)].map(async (column) =>
      (await slicesBy(services, table, column)).map((slice) => ({ ...slice, by: column })),
    ),
  );
  const listed = all.flatMap((slices) => slices.slice(0, mostSlices));
  const hits = Float64Array.from({ length: numbers.size }, (_none, at) => hitAt(numbers, at));
  const measured = accuracyBySlice(listed, { hits, prompts: numbers.promptNumber }, decided);
  return {
    slices: measured.map((slice, at) => ({ ...slice, by: listed[at].by })),
    tested: measured.filter(({ interval }) => interval !== null).length,
    more: all.reduce((sum, slices) => sum + slices.length, 0) - listed.length,
  };
}

/** The temperature of a run's margins, cross-fitted over its held-out pairs with a preferred answer. */
export async function temperatureOf(services: Services, runId: string): Promise<TemperatureFit> {
  const { numbers, decided } = await tableOf(services, runId);
  return crossFittedTemperature(
    Float64Array.from(decided, (at) => numbers.odds[at]),
    Float64Array.from(decided, (at) => numbers.promptNumber[at]),
  );
}

/** The distinct answers: score, length, and the first pair of each. */
function answersOf({ size, ...columns }: PairNumbers) {
  const seen = new Set<number>();
  const answers: { tokens: number; score: number; position: number }[] = [];
  const add = (number: number, tokens: number, score: number, position: number): void => {
    if (seen.has(number)) return;
    seen.add(number);
    answers.push({ tokens, score, position });
  };
  for (let at = 0; at < size; at += 1) {
    add(columns.chosenNumber[at], columns.chosenTokens[at], columns.chosenScore[at], at);
    add(columns.rejectedNumber[at], columns.rejectedTokens[at], columns.rejectedScore[at], at);
  }
  return answers;
}

const defined = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Scores over lengths of the distinct answers; of more than `most`, every k-th is a point. */
export async function lengthsOf(
  services: Services,
  { runId, most }: { readonly runId: string; readonly most: number },
): Promise<LengthPoints> {
  const { numbers } = await tableOf(services, runId);
  const answers = answersOf(numbers);
  const [tokens, scores] = [answers.map((each) => each.tokens), answers.map((each) => each.score)];
  const step = Math.max(1, Math.ceil(answers.length / most));
  const shown = answers.filter((_each, at) => at % step === 0);
  const hasSome = answers.length > 0;
  return {
    answers: answers.length,
    spearman: hasSome ? defined(spearman(tokens, scores)) : null,
    pearson: hasSome ? defined(pearson(tokens, scores)) : null,
    tokens: Float64Array.from(shown, (each) => each.tokens),
    scores: Float64Array.from(shown, (each) => each.score),
    positions: Float64Array.from(shown, (each) => each.position),
  };
}
