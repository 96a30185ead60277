import { Correctness, spansOf, stepsAt } from '../../../engine/schema/labeling/index.ts';
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
  return {
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
