import type { Facet } from '../../../preload/contract/rows.ts';
import type { SamplePage } from '../../../preload/contract/samples.ts';
import type { StartStates } from '../../../preload/contract/start-states.ts';
import { found, type StoreContext } from '../context.ts';
import { partRows } from '../rows/part.ts';
import { matchingRows } from '../rows/search.ts';
import type { Sliced } from '../slices.ts';
import { start } from './batch.ts';
import { facetsOf } from './facets.ts';
import { indexedOf, nextPart, putPart, type FilledPart } from './fill.ts';
import { isNarrow, pageOf, sampleQueryOf, type PageInput } from './page.ts';
import { newestAnswers } from './reading.ts';
import { startsOf } from './starts.ts';
import { sampleTable } from './table.ts';
import { fillTexts } from './texts.ts';

interface AnswerOrigin {
  readonly runId: string;
  readonly step: number;
  readonly temperature: number;
  readonly promptLength: number;
}

/** Answers without columns that a page derives itself; more are left to `nextPart`. */
const fewAnswers = 2 * partRows;

/** Queries of the sampled answers of runs. */
export const sampledQueries = ({ db }: StoreContext) => {
  /** Answers of a run that have no stored columns, and those that have no place in the full-text index. */
  const pendingOf = (runId: string): { answers: number; texts: number; total: number } => {
    const { parts, texts } = indexedOf(db, runId);
    const { attempt, sequence, position } = parts.at(-1) ?? start;
    const stored = parts.reduce((sum, { count }) => sum + count, 0);
    const answers =
      db
        .prepare<[string, number, number, number], number>(
          'select count(*) from trajectories where run_id = ? and (attempt, sequence, position) > (?, ?, ?)',
        )
        .pluck()
        .get(runId, attempt, sequence, position) ?? 0;
    return { answers, texts: stored + answers - texts, total: stored + answers };
  };
  const pending = (runIds: readonly string[]) =>
    runIds.map(pendingOf).reduce(
      (sum, each) => ({
        answers: sum.answers + each.answers,
        texts: sum.texts + each.texts,
        total: sum.total + each.total,
      }),
      { answers: 0, texts: 0, total: 0 },
    );

  return {
    pending,

    /** A page of answers. While many are without columns, the newest ones are read from their table. */
    *page(input: PageInput): Sliced<SamplePage> {
      const isPlain = input.query.trim() === '' && !input.sort && input.view === 'answers';
      if (isPlain && !isNarrow(input) && input.runIds.length === 1) {
        const [runId] = input.runIds;
        if (pendingOf(runId).answers > fewAnswers) return newestAnswers(db, runId, input);
      }
      return yield* pageOf(yield* sampleTable(db, input.runIds), input);
    },

    *facets({ runIds, query }: { runIds: readonly string[]; query: string }): Sliced<{
      total: number;
      scores: string[];
      facets: Facet[];
    }> {
      const node = sampleQueryOf(query);
      const table = yield* sampleTable(db, runIds);
      const rows = yield* matchingRows(table, node, query);
      return { total: rows.count, scores: [...table.scorers], facets: yield* facetsOf(table, rows) };
    },

    /**
     * Where a run's answers began, and how they ended; null if all began at their prompts. Throws
     * `not-found`.
     */
    *starts(runId: string): Sliced<StartStates | null> {
      found(db.prepare('select 1 from runs where id = ? and visible = 1').get(runId), 'run', runId);
      const isAny = db.prepare(
        'select 1 from trajectory_origins o join trajectories t on t.id = o.trajectory_id where t.run_id = ? limit 1',
      );
      if (isAny.get(runId) === undefined) return null;
      const table = yield* sampleTable(db, [runId]);
      return yield* startsOf(table, yield* matchingRows(table, sampleQueryOf(''), ''));
    },

    /** The run, step, temperature and length of the prompt in tokens of an answer. Throws `not-found`. */
    origin: (id: string): AnswerOrigin =>
      found(
        db
          .prepare<[string], AnswerOrigin>(
            'select run_id runId, step, temperature, prompt_length promptLength from trajectories where id = ?',
          )
          .get(id),
        'sample',
        id,
      ),

    nextPart: (runId: string): Sliced<FilledPart | null> => nextPart(db, runId),
    putPart: (part: FilledPart): void => putPart(db, part),
    fillTexts: (runId: string): Sliced<number> => fillTexts(db, runId),
  };
};
