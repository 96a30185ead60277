import { Correctness, spansOf, stepsAt } from '../../../engine/schema/labeling/index.ts';
import type { StepRange } from '../../../engine/common/answer-steps.ts';
import type { AnswerItem } from '../../../engine/index.ts';
import { fitting, mostRows, type StoreContext } from '../context.ts';
import { answersShown, type ItemRow } from './label-items.ts';

type Row = ItemRow & {
  position: number;
  id: string;
  prompt_id: string;
  prompt: string;
  reference: string | null;
  mode: string;
  value: string;
  labeler: string;
  rationale: string;
  at: number;
};

type LabelRow = { source: string; labeler: string; value: string };

/** A label of correctness, with the name of its set and the offsets of the steps in the answer. */
export interface AnswerLabel {
  readonly source: string;
  readonly labeler: string;
  readonly correct: boolean;
  /** Index in `steps`; null for a correct answer, and if no step was named. */
  readonly firstWrong: number | null;
  readonly steps: readonly StepRange[];
}

const judgedOf = (mode: string, value: unknown, answer: string): AnswerItem['judged'] => {
  if (mode === 'spans') return { kind: 'spans', spans: spansOf(value) };
  const { correct, firstWrong = null, steps } = Correctness.parse(value);
  return { kind: 'correctness', correct, firstWrong, ...stepsAt(answer, steps) };
};

function itemOf(row: Row): AnswerItem {
  const [answer] = answersShown(row);
  return {
    itemId: row.id,
    promptId: row.prompt_id,
    prompt: row.prompt,
    answer,
    judged: judgedOf(row.mode, JSON.parse(row.value), answer),
    reference: row.reference,
    about: {
      labeler: row.labeler,
      labeledAt: new Date(row.at).toISOString(),
      ...(row.rationale !== '' && { rationale: row.rationale }),
    },
  };
}

/** Labels of single answers, for exports: sets in the modes `correctness` and `spans`. */
export const judgedAnswerQueries = ({ db }: StoreContext) => {
  const after = db.prepare<[string, number, number], Row>(`
    select p.position, p.id, p.prompt_id, p.prompt, p.a, p.b, p.left_is, p.answers, s.mode,
      e.value, e.labeler, e.rationale, e.at, r.reference
    from pairs p join label_sets s on s.id = p.set_id join label_events e on e.sequence = p.verdict_sequence
    left join dataset_rows r on r.dataset_id = s.dataset_id and r.row = cast(p.origin_a as integer)
    where p.set_id = ? and p.verdict = 'a' and e.value is not null and p.position > ? order by p.position limit ?`);
  const labels = db.prepare<[string, string], LabelRow>(`
    select s.name source, e.labeler, e.value from label_sets s join pairs p on p.set_id = s.id
      join label_events e on e.sequence = p.verdict_sequence
    where s.mode = 'correctness' and p.verdict = 'a' and e.value is not null and p.a = ? and p.prompt = ?
    order by e.sequence desc limit 20`);
  return {
    /** The newest 20 labels of correctness of an answer, newest first, one of each item. */
    of: (prompt: string, answer: string): AnswerLabel[] =>
      labels.all(answer, prompt).map(({ source, labeler, value }) => {
        const { correct, firstWrong = null, steps } = Correctness.parse(JSON.parse(value));
        return { source, labeler, correct, firstWrong, steps };
      }),

    /** A page of items with the decision that counts, in the order of the set; skipped ones are left out. */
    page(id: string, from: number | null): { items: readonly AnswerItem[]; next: number | null } {
      const rows = fitting(
        after.iterate(id, from ?? -1, mostRows),
        ({ prompt, a, value }) => prompt.length + a.length + value.length,
      );
      return { items: rows.map(itemOf), next: rows.at(-1)?.position ?? null };
    },
  };
};
