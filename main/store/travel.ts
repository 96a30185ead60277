import type { TravelAnswer, TravelPrompt, TravelStop } from '../../preload/contract/travel.ts';
import { fitting, type StoreContext } from './context.ts';
import { verdictOf } from './sampled/verdict.ts';

/** Most answers in one reply. */
const mostAnswers = 4000;
/** Most evaluations in one reply. */
const mostStops = 1000;

interface StopRow {
  readonly run_id: string;
  readonly step: number;
  readonly attempt: number;
}
interface AnswerRow {
  readonly id: string;
  readonly sample: number;
  readonly completion: string;
  readonly stop_reason: TravelAnswer['stopReason'];
  readonly scores: string;
}

/** Distinct prompts of the runs, by jumps through the index of prompts: one per prompt, not per answer. */
const promptsOfRuns = `
  with recursive prompts (run, id) as (
    select r.value, (select min(prompt_id) from trajectories where run_id = r.value and purpose = 'evaluation')
      from json_each(:runs) r
    union all
    select run, (select min(prompt_id) from trajectories where run_id = prompts.run and purpose = 'evaluation'
      and prompt_id > prompts.id) from prompts where prompts.id is not null)
  select id promptId, runs, (select t.prompt from trajectories t where t.run_id = p.run
    and t.purpose = 'evaluation' and t.prompt_id = p.id limit 1) prompt
  from (select id, count(*) runs, min(run) run from prompts where id is not null group by id) p`;

/** Keeps so many of the entries, the first and the last among them, evenly. */
export function evenly<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  if (most < 2) return all.slice(-most);
  return Array.from({ length: most }, (_none, at) => all[Math.round((at * (all.length - 1)) / (most - 1))]);
}

/** Answers to one prompt over the evaluations of runs. */
export const travelQueries = ({ db }: StoreContext) => {
  const found = db.prepare<[{ runs: string; search: string; limit: number }], TravelPrompt>(`
    select promptId, prompt, runs from (${promptsOfRuns})
    where :search = '' or instr(lower(prompt), lower(:search)) > 0 order by runs desc, promptId limit :limit`);
  const evaluations = db.prepare<[string, string], StopRow>(`
    select run_id, step, max(attempt) attempt from trajectories
    where run_id = ? and purpose = 'evaluation' and prompt_id = ? group by step order by step`);
  const answers = db.prepare<[string, string, number, number], AnswerRow>(`
    select t.id, t.sample, t.completion, t.stop_reason,
      (select json_group_object(s.scorer, s.value) from scores s where s.trajectory_id = t.id) scores
    from trajectories t where t.run_id = ? and t.purpose = 'evaluation' and t.prompt_id = ? and t.step = ?
      and t.attempt = ? order by t.sample, t.position`);
  const text = db
    .prepare<[string, string], string>(
      `select prompt from trajectories where run_id in (select value from json_each(?)) and purpose = 'evaluation'
        and prompt_id = ? limit 1`,
    )
    .pluck();

  const stopOf = (
    { run_id: runId, step, attempt }: StopRow,
    promptId: string,
    samples: number,
  ): TravelStop => {
    const all = answers.all(runId, promptId, step, attempt).map(answerOf);
    const verdicts = all.flatMap(({ correct }) => correct ?? []);
    return {
      runId,
      step,
      count: all.length,
      right: verdicts.length === all.length ? verdicts.filter(Boolean).length / all.length : null,
      answers: all.slice(0, samples),
    };
  };

  return {
    prompts(
      runIds: readonly string[],
      search: string,
      limit: number,
    ): { prompts: TravelPrompt[]; more: boolean } {
      const prompts = found.all({ runs: JSON.stringify([...new Set(runIds)]), search, limit: limit + 1 });
      return { prompts: prompts.slice(0, limit), more: prompts.length > limit };
    },

    /** Answers at each evaluation, by run in the order given and by step. */
    answers(
      runIds: readonly string[],
      promptId: string,
      samples: number,
    ): { prompt: string | null; stops: TravelStop[]; leftOut: number } {
      const ids = [...new Set(runIds)];
      const byRun = ids.map((id) => evaluations.all(id, promptId));
      const each = Math.max(1, Math.floor(Math.min(mostStops, mostAnswers / samples) / ids.length));
      const kept = byRun.flatMap((own) => evenly(own, each));
      const stops = fitting(
        kept.values().map((row) => stopOf(row, promptId, samples)),
        (stop) => stop.answers.reduce((sum, { completion }) => sum + completion.length, 0),
      );
      const total = byRun.reduce((sum, own) => sum + own.length, 0);
      return {
        prompt: text.get(JSON.stringify(ids), promptId) ?? null,
        stops,
        leftOut: total - stops.length,
      };
    },
  };
};

function answerOf({ id, sample, completion, stop_reason: stopReason, scores }: AnswerRow): TravelAnswer {
  const stored = JSON.parse(scores) as Record<string, number | null>;
  const known = Object.fromEntries(
    Object.entries(stored).map(([scorer, value]) => [scorer, value ?? Number.NaN]),
  );
  return { id, sample, completion, stopReason, scores: known, correct: verdictOf(known) };
}
