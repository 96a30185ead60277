import { basename } from 'node:path';
import type { Message } from '../../engine/schema/conversation.ts';
import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Demonstration, Preference } from '../../engine/schema/preference.ts';
import type { Dataset, DatasetRow, Doctor, Rejected } from '../../preload/contract/datasets.ts';
import { flag, found, unflag, type StoreContext } from './context.ts';
import { jsonLines, writeArtifact, type Artifact } from './files.ts';
import { fromJson, sha256, toJson } from './json.ts';
import { uuid } from './uuid.ts';

type Facts = { id: string; name: string; source: string; hash: string; created_at: number; rows: number; doctor: string };
type Row = { row: number; line: number; prompt_id: string; prompt: string; answer: string; reference: string | null; correct: number | null; source: string; messages: string | null; extra: string | null };

/** What imports did not look for before. */
const unknown = { references: 0, verifier: null, columns: [] };
const fromFacts = (r: Facts): Dataset => ({ id: r.id, name: r.name, source: r.source, hash: r.hash, createdAt: r.created_at, rows: r.rows, doctor: { ...unknown, ...fromJson<Doctor>(r.doctor) } });
const fromRow = (r: Row): DatasetRow => ({
  row: r.row, line: r.line, promptId: r.prompt_id, prompt: r.prompt, answer: r.answer, reference: r.reference, correct: flag(r.correct), source: r.source,
  ...(r.messages !== null && { messages: fromJson<Message[]>(r.messages) }),
  ...(r.extra !== null && { extra: fromJson<Record<string, unknown>>(r.extra) }),
});
const shown = { all: '', correct: 'and correct = 1', wrong: 'and correct = 0', unmarked: 'and correct is null' } as const;
const columns = 'row, line, prompt_id, prompt, answer, reference, correct, source, messages, extra';

export const datasetQueries = ({ db, folder }: StoreContext) => {
  const insertRow = db.prepare(`insert into dataset_rows (dataset_id, ${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertRejected = db.prepare('insert into dataset_rejected values (?, ?, ?, ?)');
  const remove = db.prepare('delete from datasets where id = ?');
  const get = (id: string): Dataset => fromFacts(found(db.prepare<[string], Facts>('select * from datasets where id = ? and visible = 1').get(id), 'dataset', id));

  return {
    get,
    list: (): Dataset[] => db.prepare<[], Facts>('select * from datasets where visible = 1 order by id desc').all().map(fromFacts),

    /** Opens an import: nobody sees the dataset before `finish`. */
    stage({ name, source }: { name: string; source: string }): string {
      const id = uuid();
      db.prepare("insert into datasets values (?, ?, ?, '', ?, 0, '', 0)").run(id, name, source, Date.now());
      return id;
    },

    append: db.transaction((id: string, rows: readonly DatasetRow[], rejected: readonly Rejected[]): void => {
      for (const r of rows) {
        const [messages, extra] = [r.messages, r.extra].map((value) => (value ? toJson(value) : null));
        insertRow.run(id, r.row, r.line, r.promptId, r.prompt, r.answer, r.reference, unflag(r.correct), r.source, messages, extra);
      }
      for (const r of rejected) insertRejected.run(id, r.line, r.reason, r.text);
    }),

    finish(id: string, { hash, doctor }: { hash: string; doctor: Doctor }): Dataset {
      db.prepare('update datasets set visible = 1, hash = ?, doctor = ?, rows = (select count(*) from dataset_rows where dataset_id = datasets.id) where id = ?').run(hash, toJson(doctor), id);
      return get(id);
    },

    /** Forgets an import that did not end well. */
    discard(id: string): void {
      db.prepare('delete from datasets where id = ? and visible = 0').run(id);
    },

    /** Imports that a crash left behind. */
    discardStaged(): void {
      db.prepare('delete from datasets where visible = 0').run();
    },

    rows({ id, offset, limit, search, show }: { id: string; offset: number; limit: number; search: string; show: keyof typeof shown }): { total: number; rows: DatasetRow[] } {
      get(id);
      // instr, not LIKE: a search text holds no wildcards
      const where = `dataset_id = ? ${shown[show]} and (? = '' or instr(lower(prompt), lower(?)) or instr(lower(answer), lower(?)))`;
      const values = [id, search, search, search];
      const { n } = found(db.prepare<string[], { n: number }>(`select count(*) n from dataset_rows where ${where}`).get(...values), 'dataset', id);
      const rows = db.prepare<unknown[], Row>(`select ${columns} from dataset_rows where ${where} order by row limit ? offset ?`).all(...values, limit, offset);
      return { total: n, rows: rows.map(fromRow) };
    },

    prompt(id: string, promptId: string): DatasetRow[] {
      get(id);
      return db.prepare<[string, string], Row>(`select ${columns} from dataset_rows where dataset_id = ? and prompt_id = ? order by row`).all(id, promptId).map(fromRow);
    },

    rejected(id: string): Rejected[] {
      get(id);
      return db.prepare<[string], Rejected>('select line, reason, text from dataset_rejected where dataset_id = ? order by line').all(id);
    },

    rename(id: string, name: string): void {
      get(id);
      db.prepare('update datasets set name = ? where id = ?').run(name, id);
    },

    remove(id: string): void {
      get(id);
      const user = db.prepare<[string, string], { name: string }>(`
        select name from label_sets where dataset_id = ?
        union all select r.name from run_inputs i join runs r on r.id = i.run_id where i.kind = 'dataset' and i.ref = ? limit 1`).get(id, id);
      if (user) throw new WhetstoneError('conflict', `'${user.name}' was made from this dataset.`, { where: id, hint: 'Remove that first, or keep the dataset.' });
      remove.run(id);
    },

    /** The rows as `Demonstration` lines, for the engine. */
    exportDemonstrations(id: string): Artifact {
      const { source } = get(id);
      const rows = db.prepare<[string], Row>(`select ${columns} from dataset_rows where dataset_id = ? order by row`).iterate(id);
      return writeArtifact(folder, 'exports', '.jsonl', jsonLines(Iterator.from(rows).map((r): Demonstration => ({
        promptId: r.prompt_id, prompt: r.prompt, answer: r.answer, reference: r.reference, correct: flag(r.correct),
        ...(r.messages !== null && { messages: fromJson<Message[]>(r.messages), where: `${basename(source)}:${r.line}` }),
      }))));
    },

    /** Every pair of a right and a wrong answer to the same prompt as `Preference` lines; which one is `a` is drawn by a hash of the pair. */
    exportPreferences(id: string): Artifact {
      get(id);
      type Pair = { prompt_id: string; prompt: string; good: string; bad: string; good_row: number; bad_row: number };
      const pairs = db.prepare<[string], Pair>(`
        select r.prompt_id, r.prompt, r.answer good, w.answer bad, r.row good_row, w.row bad_row
        from dataset_rows r join dataset_rows w on w.dataset_id = r.dataset_id and w.prompt_id = r.prompt_id
        where r.dataset_id = ? and r.correct = 1 and w.correct = 0 and r.answer <> w.answer order by r.row, w.row`).all(id);
      if (pairs.length === 0) {
        throw new WhetstoneError('invalid-input', 'This dataset has no prompt with both a right and a wrong answer, so it gives no preference pairs.', { where: id, hint: 'Label pairs of it on the Label screen, or import answers that are marked.' });
      }
      return writeArtifact(folder, 'exports', '.jsonl', jsonLines(pairs.map((p): Preference => {
        const pairId = `${p.good_row}-${p.bad_row}`;
        const first = Number.parseInt(sha256(pairId)[0], 16) % 2 === 0;
        const [a, b] = first ? [p.good, p.bad] : [p.bad, p.good];
        return { pairId, promptId: p.prompt_id, prompt: p.prompt, a, b, verdict: first ? 'a' : 'b', correctA: first, correctB: !first };
      })));
    },
  };
};
