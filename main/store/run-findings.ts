import type { RunFinding } from '../../engine/schema/run-finding.ts';
import type { Db } from './database.ts';
import { found, mostRows, type StoreContext } from './context.ts';
import { fromJson, toJson } from './json.ts';

/** State of a run that its findings are of: they are outdated once it has another one. */
export interface ExaminedState {
  /** Version of the rules. */
  readonly version: number;
  readonly attempt: number;
  readonly step: number;
  readonly state: string;
}

/** An answer as the rules of the run doctor read it. */
export interface ExaminedAnswer {
  readonly step: number;
  readonly promptId: string;
  readonly completion: string;
  /** Tokens of the answer. */
  readonly tokens: number;
  /** A failed score is NaN. */
  readonly scores: Readonly<Record<string, number>>;
}

/** Steps that answers are read of, and answers of each. */
const examinedSteps = 16;
const answersPerStep = 512;

type AnswerRow = {
  step: number;
  prompt_id: string;
  completion: string;
  tokens: number;
  scores: string;
};

/** Findings of the run doctor, and the answers that it reads. */
export const runFindingQueries = ({ db }: StoreContext) => ({
  /** Findings of a run in their order, with those that were dismissed; null before its first examination. */
  of(runId: string): {
    readonly examined: ExaminedState & { readonly at: number };
    readonly findings: readonly RunFinding[];
    readonly dismissed: readonly string[];
  } | null {
    const examined = db
      .prepare<[string], ExaminedState & { at: number }>(
        'select version, attempt, step, state, at from run_examinations where run_id = ?',
      )
      .get(runId);
    if (!examined) return null;
    const findings = db
      .prepare<[string], { value: string }>(
        'select value from run_findings where run_id = ? order by position',
      )
      .all(runId);
    const dismissed = db
      .prepare<[string], { rule: string }>('select rule from dismissed_findings where run_id = ?')
      .all(runId);
    return {
      examined,
      findings: findings.map(({ value }) => fromJson<RunFinding>(value)),
      dismissed: dismissed.map(({ rule }) => rule),
    };
  },

  /** Stores the findings of a run in place of those before; what was dismissed stays so. */
  put: db.transaction(
    (runId: string, { version, attempt, step, state }: ExaminedState, findings: readonly RunFinding[]) => {
      // a run that was removed meanwhile needs none
      if (!db.prepare('select 1 from runs where id = ? and visible = 1').get(runId)) return;
      db.prepare('delete from run_examinations where run_id = ?').run(runId);
      db.prepare('insert into run_examinations values (?, ?, ?, ?, ?, ?)').run(
        runId,
        version,
        attempt,
        step,
        state,
        Date.now(),
      );
      const add = db.prepare('insert into run_findings values (?, ?, ?, ?, ?)');
      findings.forEach((each, at) => add.run(runId, at, each.rule, each.severity, toJson(each)));
    },
  ),

  /** Dismisses a finding, or takes that back. Throws `not-found` for a run that is not there. */
  dismiss: db.transaction((runId: string, rule: string, dismissed: boolean): void => {
    found(db.prepare('select 1 from runs where id = ? and visible = 1').get(runId), 'run', runId);
    if (dismissed)
      db.prepare('insert or ignore into dismissed_findings values (?, ?, ?)').run(runId, rule, Date.now());
    else db.prepare('delete from dismissed_findings where run_id = ? and rule = ?').run(runId, rule);
  }),

  /** At most 1,000 runs with a step whose findings are missing or of another state or version, newest first. */
  outdated: (version: number): string[] =>
    db
      .prepare<[number, number], { id: string }>(
        `select r.id from runs r left join run_examinations e on e.run_id = r.id
          where r.visible = 1 and (r.step > 0 or r.not_finite is not null)
            and not exists (select 1 from run_imports i where i.run_id = r.id) and (e.run_id is null or e.version <> ?
            or e.attempt <> r.attempt or e.step <> r.step or e.state <> r.state)
          order by r.id desc limit ?`,
      )
      .all(version, mostRows)
      .map(({ id }) => id),

  /**
   * Training answers of steps that are evenly spaced over the run, by step; for a step that occurs in several
   * attempts, those of the latest. Finds each step by the index, so that a run of a million answers costs no
   * more.
   */
  answers(runId: string): ExaminedAnswer[] {
    const byStep = new Map<number, ExaminedAnswer[]>();
    const run = db.prepare<[string], { attempt: number }>('select attempt from runs where id = ?').get(runId);
    const attempts = run?.attempt ?? 0;
    for (let attempt = 1; attempt <= attempts; attempt += 1)
      for (const [step, answers] of stepsOf(db, runId, attempt, Math.ceil(examinedSteps / attempts)))
        byStep.set(step, answers);
    return [...byStep].sort(([a], [b]) => a - b).flatMap(([, answers]) => answers);
  },
});

function stepsOf(db: Db, runId: string, attempt: number, count: number): Map<number, ExaminedAnswer[]> {
  const where = 'run_id = :run and attempt = :attempt';
  const own = { run: runId, attempt };
  type Own = typeof own;
  const ends = db
    .prepare<[Own], { first: number | null; last: number | null }>(
      `select (select sequence from trajectories where ${where} order by sequence limit 1) first,
        (select sequence from trajectories where ${where} order by sequence desc limit 1) last`,
    )
    .get(own);
  const next = db.prepare<[Own & { from: number }], { sequence: number; step: number }>(
    `select sequence, step from trajectories where ${where} and sequence >= :from and purpose = 'train'
      and position = 0 order by sequence limit 1`,
  );
  const read = db.prepare<[Own & { from: number; step: number }], AnswerRow>(
    `select t.step, t.prompt_id, t.completion, t.token_count - t.prompt_length tokens,
      (select json_group_object(s.scorer, s.value) from scores s where s.trajectory_id = t.id) scores
      from trajectories t where ${where} and sequence >= :from and step = :step and purpose = 'train'
      order by sequence, position limit ${answersPerStep}`,
  );
  const found = new Map<number, ExaminedAnswer[]>();
  const { first, last } = ends ?? { first: null, last: null };
  if (first === null || last === null) return found;
  for (let at = 0; at < count; at += 1) {
    const from = Math.round(first + ((last - first) * at) / Math.max(1, count - 1));
    const begin = next.get({ ...own, from });
    if (!begin || found.has(begin.step)) continue;
    const rows = read.iterate({ ...own, from: begin.sequence, step: begin.step });
    found.set(begin.step, [...rows].map(answerOf));
  }
  return found;
}

const answerOf = ({ step, prompt_id: promptId, completion, tokens, scores }: AnswerRow): ExaminedAnswer => ({
  step,
  promptId,
  completion,
  tokens,
  scores: Object.fromEntries(
    Object.entries(JSON.parse(scores) as Record<string, number | null>).map(([scorer, value]) => [
      scorer,
      value ?? Number.NaN,
    ]),
  ),
});
