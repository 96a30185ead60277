import { confidentLearning, fitHead, textFeatures } from '../../../engine/row-reading.ts';
import type { Findings } from '../../../preload/contract/doctor.ts';
import type { DoctorRow } from './patient.ts';

type Judge = NonNullable<Findings['judge']>;

/** Features of rows, N × width: of their texts, or of a model. */
export type FeatureSource = (rows: readonly DoctorRow[]) => {
  readonly values: Float64Array;
  readonly width: number;
};

/** Fewest marks of each kind, and most rows that are judged. */
const least = 20;
const most = 20_000;

/**
 * Share of the errors of always choosing the more frequent mark that a judge must avoid, surely, before its
 * doubts count: one that is hardly better than that lists its own errors as wrong marks, half of the rows.
 */
const LEAST_SKILL = 0.5;

/** Features of the texts, with the score of a column and whether the row has one. */
export const textsAndScore: FeatureSource = (rows) => {
  const texts = textFeatures(rows);
  if (rows.every(({ score }) => score === null)) return texts;
  const scores = rows.flatMap(({ score }) => score ?? []);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const spread = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
  const width = texts.width + 2;
  const values = new Float64Array(rows.length * width);
  for (const [at, { score }] of rows.entries()) {
    values.set(texts.values.subarray(at * texts.width, (at + 1) * texts.width), at * width);
    values[at * width + width - 2] = score === null || spread === 0 ? 0 : (score - mean) / spread;
    values[at * width + width - 1] = Number(score !== null);
  }
  return { values, width };
};

/** Every k-th row, so that at most `most` remain, from all of the data. */
const some = (rows: readonly DoctorRow[]): readonly DoctorRow[] => {
  const step = Math.ceil(rows.length / most);
  return step <= 1 ? rows : rows.filter((_, at) => at % step === 0);
};

/**
 * Marks that a judge contradicts with confidence: a logistic head on the features of a row, cross-validated
 * over prompts, and confident learning over its probabilities. Null with too few marks; no row from a judge
 * that avoids less than half of the errors of always choosing the more frequent mark.
 */
export async function likelyWrong(
  rows: readonly DoctorRow[],
  score: string | null,
  features: FeatureSource = textsAndScore,
): Promise<{ readonly judge: Judge; readonly wrong: readonly number[] } | null> {
  const marked = some(rows.filter(({ correct }) => correct !== null));
  const rights = marked.filter(({ correct }) => correct === true).length;
  if (rights < least || marked.length - rights < least) return null;
  const { values: differences, width } = features(marked);
  const targets = Float64Array.from(marked, ({ correct }) => Number(correct));
  const prompts = marked.map(({ promptId }) => promptId);
  const { heldout, probabilities } = await fitHead({ differences, width, targets, prompts }, { heads: 0 });
  if (!heldout || !probabilities) return null;
  const majority = Math.max(rights, marked.length - rights) / marked.length;
  const { accuracy, interval } = heldout;
  const judge = { rows: marked.length, accuracy, interval, majority, noise: null, score };
  if (interval[0] <= majority + LEAST_SKILL * (1 - majority)) return { judge, wrong: [] };
  const { noise, wrong } = confidentLearning({
    ids: marked.map(({ row }) => String(row)),
    labels: targets,
    probabilities: Float64Array.from({ length: 2 * marked.length }, (_none, i) => {
      const right = probabilities[i >> 1];
      return i % 2 === 1 ? right : 1 - right;
    }),
    classes: 2,
  });
  return { judge: { ...judge, noise }, wrong: wrong.map(({ id }) => Number(id)) };
}
