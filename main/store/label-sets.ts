import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Preference, Verdict } from '../../engine/schema/preference.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import { flag, found, unflag, type StoreContext } from './context.ts';
import { jsonLines, writeArtifact, type Artifact } from './files.ts';
import { makePairs, type Answer } from './pairing.ts';
import { uuid } from './uuid.ts';

type SetRow = { id: string; name: string; created_at: number; run_id: string | null; dataset_id: string | null; pairs: number; labeled: number; decided: number };
type PairRow = { id: string; prompt_id: string; prompt: string; a: string; b: string; correct_a: number | null; correct_b: number | null; verdict: Verdict | null };
type AnswerRow = { origin: string; prompt_id: string; prompt: string; text: string; correct: number | null };

export type PairFacts = Omit<Preference, 'verdict'> & { verdict: Verdict | null };
export interface SetChoice {
  readonly name: string;
  readonly from: { readonly kind: 'run'; readonly runId: string } | { readonly kind: 'dataset'; readonly datasetId: string };
  readonly pairsPerPrompt: number;
  readonly onlyDiffering: boolean;
  readonly seed: number;
}

const selectSets = `
  select s.id, s.name, s.created_at, s.run_id, s.dataset_id,
    (select count(*) from pairs p where p.set_id = s.id) pairs,
    (select count(*) from pairs p join verdicts v on v.pair_id = p.id where p.set_id = s.id) labeled,
    (select count(*) from pairs p join verdicts v on v.pair_id = p.id where p.set_id = s.id and v.verdict in ('a', 'b')) decided
  from label_sets s`;
const fromSet = (r: SetRow): LabelSet => ({
  id: r.id, name: r.name, createdAt: r.created_at, source: r.run_id ? `run:${r.run_id}` : `dataset:${r.dataset_id}`, pairs: r.pairs, labeled: r.labeled, decided: r.decided,
});
const fromPair = (r: PairRow): PairFacts => ({
  pairId: r.id, promptId: r.prompt_id, prompt: r.prompt, a: r.a, b: r.b, verdict: r.verdict, correctA: flag(r.correct_a), correctB: flag(r.correct_b),
});

/** Sets of pairs: what there is to label. */
export const labelSetQueries = ({ db, folder }: StoreContext) => {
  const get = (id: string): LabelSet => fromSet(found(db.prepare<[string], SetRow>(`${selectSets} where s.id = ?`).get(id), 'label set', id));
  const labeled = (id: string): PairFacts[] => db.prepare<[string], PairRow>(`
    select p.id, p.prompt_id, p.prompt, p.a, p.b, p.correct_a, p.correct_b, v.verdict
    from pairs p join verdicts v on v.pair_id = p.id where p.set_id = ? order by p.position`).all(id).map(fromPair);
  const insertPair = db.prepare('insert into pairs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');

  return {
    get,
    list: (): LabelSet[] => db.prepare<[], SetRow>(`${selectSets} order by s.id desc`).all().map(fromSet),

    create: db.transaction((choice: SetChoice): LabelSet => {
      const { from, name } = choice;
      const [source, sourceId] = from.kind === 'run' ? ['run', from.runId] : ['dataset', from.datasetId];
      const { name: sourceName } = found(db.prepare<[string], { name: string }>(`select name from ${source}s where id = ? ${from.kind === 'dataset' ? 'and visible = 1' : ''}`).get(sourceId), source, sourceId);
      const rows = db.prepare<[string], AnswerRow>(from.kind === 'run' ? `
        select t.id origin, t.prompt_id, t.prompt, t.completion text, (select s.value > 0.5 from scores s where s.trajectory_id = t.id and s.scorer = 'verifier' limit 1) correct
        from trajectories t where t.run_id = ? and t.purpose in ('sample', 'evaluation') order by t.attempt, t.sequence, t.position`
        : 'select row origin, prompt_id, prompt, answer text, correct from dataset_rows where dataset_id = ? order by row').all(sourceId);
      const pairs = makePairs(rows.map((r): Answer => ({ origin: String(r.origin), promptId: r.prompt_id, prompt: r.prompt, text: r.text, correct: flag(r.correct) })), choice);
      if (pairs.length === 0) {
        throw new WhetstoneError('invalid-input', `'${sourceName}' has no two different answers to the same prompt${choice.onlyDiffering ? ', one right and one wrong' : ''}.`,
          { where: sourceId, hint: from.kind === 'run' ? 'Sample several answers a prompt first.' : 'Choose a dataset with several answers a prompt.' });
      }
      const id = uuid();
      db.prepare('insert into label_sets values (?, ?, ?, ?, ?, ?)').run(id, name || `Pairs of ${sourceName}`, Date.now(), choice.seed, from.kind === 'run' ? sourceId : null, from.kind === 'dataset' ? sourceId : null);
      for (const [position, { a, b, leftIs }] of pairs.entries()) {
        insertPair.run(uuid(), id, position, a.promptId, a.prompt, a.text, b.text, a.origin, b.origin, unflag(a.correct), unflag(b.correct), leftIs);
      }
      return get(id);
    }),

    rename(id: string, name: string): void {
      get(id);
      db.prepare('update label_sets set name = ? where id = ?').run(name, id);
    },

    remove(id: string): void {
      get(id);
      const user = db.prepare<[string], { name: string }>("select r.name from run_inputs i join runs r on r.id = i.run_id where i.kind = 'label-set' and i.ref = ? limit 1").get(id);
      if (user) throw new WhetstoneError('conflict', `The run '${user.name}' was made from these labels.`, { where: id, hint: 'Remove that run first, or keep the labels.' });
      db.prepare('delete from label_sets where id = ?').run(id);
    },

    pairs(id: string, offset: number, limit: number): { total: number; pairs: PairFacts[] } {
      const { pairs: total } = get(id);
      const rows = db.prepare<[string, number, number], PairRow>(`
        select p.id, p.prompt_id, p.prompt, p.a, p.b, p.correct_a, p.correct_b, v.verdict
        from pairs p left join verdicts v on v.pair_id = p.id where p.set_id = ? order by p.position limit ? offset ?`).all(id, limit, offset);
      return { total, pairs: rows.map(fromPair) };
    },

    /** Every labeled pair as a `Preference`, for a file that the user keeps. */
    labeled(id: string): PairFacts[] {
      get(id);
      return labeled(id);
    },

    /** The same as an artifact, for the engine. Throws `invalid-input` where no label prefers a side: there would be nothing to learn. */
    exportPreferences(id: string): Artifact {
      const { name, decided } = get(id);
      const rows = labeled(id);
      if (rows.length === 0) throw new WhetstoneError('invalid-input', 'Nothing in this label set is labeled yet.', { where: id, hint: 'Decide some pairs on the Label screen first.' });
      if (decided === 0) {
        throw new WhetstoneError('invalid-input', `None of the ${rows.length} labels of '${name}' prefers an answer: all are ties, “both bad” or skipped, so there is nothing to learn.`,
          { where: id, hint: 'Decide for one side in some pairs on the Label screen first.' });
      }
      return writeArtifact(folder, 'exports', '.jsonl', jsonLines(rows));
    },
  };
};
