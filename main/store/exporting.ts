import type { PairItem } from '../../engine/index.ts';
import type { Verdict } from '../../engine/schema/preference.ts';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import { fitting, flag, mostCharacters, mostRows, type StoreContext } from './context.ts';
import { computedReader } from './rows/computed-reader.ts';
import { refuseWhileChanging } from './curation/log.ts';
import { rowColumns, storedLength, type StoredRow } from './dataset-row.ts';
import { impliedGroups, nothingImplied, type Implied } from './labels/implied-pairs.ts';
import { trustColumns, trustOf, type PairRow } from './labels/label-sets.ts';
import { excludedOf } from './rows/marks.ts';

type LabelRow = PairRow & {
  verdict: Verdict;
  labeler: string;
  rationale: string;
  at: number;
  /** JSON of a list. */
  reasons: string | null;
  adjudicated: number | null;
};

/** A page of an export, and the start of the following one; null at the end. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next: number | null;
}

/** Most answers to one prompt that are paired. */
const mostOfPrompt = mostRows;

/** Pages of what exports write, in the order of the file or of the set. */
export const exportQueries = ({ db }: StoreContext) => {
  const rowsAfter = db.prepare<[string, number, number], StoredRow>(
    `select ${rowColumns} from dataset_rows where dataset_id = ? and row > ? order by row limit ?`,
  );
  const promptsAfter = db.prepare<[string, number, number], { row: number; prompt_id: string }>(
    'select row, prompt_id from dataset_rows where dataset_id = ? and row > ? order by row limit ?',
  );
  const ofPrompt = db.prepare<[string, string, number], StoredRow>(
    `select ${rowColumns} from rows_by_prompt where dataset_id = ? and prompt_id = ? and correct = ? order by row`,
  );
  const firstOf = db
    .prepare<[string, string], number>(
      'select row from rows_by_prompt where dataset_id = ? and prompt_id = ? order by row limit 1',
    )
    .pluck();
  const setOf = db.prepare<[string], { mode: string; labeled: number }>(
    'select mode, labeled from label_sets where id = ?',
  );
  const labelsAfter = db.prepare<[string, number, number], LabelRow>(`
    select p.position, p.id, p.prompt_id, p.prompt, p.a, p.b, p.correct_a, p.correct_b, p.verdict,
      e.labeler, e.rationale, e.at, ${trustColumns},
      json_extract(e.details, '$.reasons') reasons, e.role = 'adjudication' adjudicated
    from pairs p join label_events e on e.sequence = p.verdict_sequence
    where p.set_id = ? and p.verdict is not null and p.position > ? order by p.position limit ?`);

  return {
    /**
     * The rows that are not excluded; a page of excluded ones is empty. Throws `conflict` while a change of
     * the rows is not finished, as `prompts` does.
     */
    rows(id: string, after: number | null): Page<DatasetRow> {
      refuseWhileChanging(db, id);
      const excluded = excludedOf(db, id);
      const rows = fitting(rowsAfter.iterate(id, after ?? -1, mostRows), storedLength);
      const kept = rows.filter(({ row }) => !excluded.has(row));
      const computed = computedReader(db, id);
      return { items: kept.map((row) => computed.row(row)), next: rows.at(-1)?.row ?? null };
    },

    /**
     * Marked answers to each prompt that are not excluded, in the order of the prompts' first rows: the first
     * right and the first wrong ones, at most `mostOfPrompt`, half of them each if there are more.
     */
    prompts(id: string, after: number | null): Page<readonly DatasetRow[]> {
      refuseWhileChanging(db, id);
      const excluded = excludedOf(db, id);
      const heads = promptsAfter.all(id, after ?? -1, mostRows);
      const firsts = heads.filter(({ row, prompt_id: prompt }) => firstOf.get(id, prompt) === row);
      const marked = (prompt: string, correct: 0 | 1): StoredRow[] =>
        Iterator.from(ofPrompt.iterate(id, prompt, correct))
          .filter(({ row }) => !excluded.has(row))
          .take(mostOfPrompt)
          .toArray();
      const answersTo = (prompt: string): StoredRow[] => {
        const rights = marked(prompt, 1);
        const wrongs = marked(prompt, 0);
        const most = (others: number): number => Math.max(mostOfPrompt / 2, mostOfPrompt - others);
        const kept = [...rights.slice(0, most(wrongs.length)), ...wrongs.slice(0, most(rights.length))];
        return kept.sort((a, b) => a.row - b.row);
      };
      const groups = firsts.values().map(({ row, prompt_id: prompt }) => ({ row, rows: answersTo(prompt) }));
      const page = fitting(groups, ({ rows }) => rows.reduce((sum, row) => sum + storedLength(row), 0));
      const isWhole = page.length === firsts.length;
      const next = isWhole ? heads.at(-1)?.row : page.at(-1)?.row;
      const some = page.filter(({ rows }) => rows.length > 0);
      const computed = computedReader(db, id);
      return { items: some.map(({ rows }) => rows.map((row) => computed.row(row))), next: next ?? null };
    },

    /**
     * Labeled pairs with the decision that counts; of a set in another mode than `pair`, the pairs that its
     * decisions imply. Throws `invalid-input` if there are decisions, but they imply none.
     */
    labels(id: string, after: number | null): Page<PairItem> {
      const set = setOf.get(id);
      if (set && set.mode !== 'pair') {
        const page = impliedPage(impliedGroups(db, id, set.mode, after ?? -1));
        if (after === null && page.next === null && page.items.length === 0 && set.labeled > 0)
          throw nothingImplied(id);
        return page;
      }
      const rows = fitting(
        labelsAfter.iterate(id, after ?? -1, mostRows),
        ({ prompt, a, b }) => prompt.length + a.length + b.length,
      );
      return { items: rows.map(fromLabel), next: rows.at(-1)?.position ?? null };
    },
  };
};

/** Whole groups until the page is full; it ends at the last group. */
function impliedPage(groups: ReturnType<typeof impliedGroups>): Page<PairItem> {
  const items: PairItem[] = [];
  let characters = 0;
  for (const { position, implied } of groups) {
    items.push(...implied.map(fromImplied));
    characters += implied.reduce((sum, { preference: { a, b } }) => sum + a.length + b.length, 0);
    if (items.length >= mostRows || characters > mostCharacters) return { items, next: position };
  }
  return { items, next: null };
}

const fromImplied = ({ preference: { verdict, ...pair }, decisions }: Implied): PairItem => {
  const labelers = new Set(decisions.map(({ labeler }) => labeler));
  const rationale = [...new Set(decisions.map((each) => each.rationale))].filter((each) => each !== '');
  return {
    ...pair,
    verdict,
    reference: null,
    about: {
      labeler: [...labelers].join(', '),
      labeledAt: new Date(Math.max(...decisions.map(({ at }) => at))).toISOString(),
      ...(rationale.length > 0 && { rationale: rationale.join('\n') }),
    },
  };
};

const fromLabel = (r: LabelRow): PairItem => ({
  pairId: r.id,
  promptId: r.prompt_id,
  prompt: r.prompt,
  a: r.a,
  b: r.b,
  verdict: r.verdict,
  correctA: flag(r.correct_a),
  correctB: flag(r.correct_b),
  reference: null,
  about: {
    labeler: r.labeler,
    labeledAt: new Date(r.at).toISOString(),
    ...(r.rationale !== '' && { rationale: r.rationale }),
    ...trustOf(r),
    ...(r.reasons !== null && { reasons: (JSON.parse(r.reasons) as string[]).join(', ') }),
    ...(r.adjudicated === 1 && { adjudicated: true }),
  },
});
