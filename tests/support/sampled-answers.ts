import { join } from 'node:path';
import { openDatabase, type Db } from '../../main/store/database.ts';
import { sampledQueries } from '../../main/store/sampled/index.ts';
import type { PageInput } from '../../main/store/sampled/page.ts';
import { atOnce } from '../../main/store/slices.ts';
import { temporaryFolder } from './folder.ts';
import { parsedSpec } from './workspace.ts';

/** An answer as it is stored; scores that are absent have no row, NaN a NULL. */
export interface Stored {
  readonly id: string;
  readonly run: string;
  readonly attempt: number;
  readonly sequence: number;
  readonly step: number;
  readonly purpose: 'train' | 'evaluation';
  readonly promptId: string;
  readonly prompt: string;
  readonly completion: string;
  readonly tokens: number;
  readonly logp: number | null;
  readonly stop: 'end' | 'length';
  readonly scores: Readonly<Record<string, number>>;
}

/** More than a part of columns has, so that parts meet. */
const count = 9000;
const words = ['seven', 'eight', 'Straße', 'naïve', 'x²', '8+9'];
/** Uniform numbers of a seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const draw = numbersFrom(7);
export const all: readonly Stored[] = Array.from({ length: count }, (_none, at) => {
  const prompt = Math.floor(at / 6) % 1200;
  const isRight = draw() < 0.5;
  const word = words[Math.floor(draw() * words.length)];
  return {
    id: `answer-${at}`,
    run: 'r',
    attempt: 1,
    sequence: Math.floor(at / 60) + 1,
    step: Math.floor(at / 60),
    purpose: at % 3 === 0 ? 'evaluation' : 'train',
    promptId: `p${prompt}`,
    prompt: `What is ${prompt} and ${words[prompt % words.length]}?`,
    completion:
      draw() < 0.02 ? '' : isRight ? `It is ${word}.` : `It may be ${word} or ${Math.floor(draw() * 4)}.`,
    tokens: 1 + Math.floor(draw() * 50),
    logp: draw() < 0.01 ? null : -Math.round(draw() * 40) / 4,
    stop: draw() < 0.1 ? 'length' : 'end',
    scores: {
      verifier: Number(isRight),
      total: Math.round(draw() * 8) / 8,
      ...(draw() < 0.7 && { length: Math.floor(draw() * 9) - 4 }),
      ...(draw() < 0.05 && { judge: draw() < 0.3 ? Number.NaN : draw() }),
    },
  };
});

export const open = (folder = temporaryFolder()): Db =>
  openDatabase(join(folder, 'workspace.db'), { create: true });

export function addRun(db: Db, id: string, state = 'done'): void {
  db.prepare(
    "insert into runs (id, name, state, method, spec, created_at, queued_at) values (?, ?, ?, 'grpo', ?, 0, 0)",
  ).run(id, id, state, JSON.stringify(parsedSpec()));
}
export function insert(db: Db, answers: readonly Stored[]): void {
  const add = db.prepare(
    "insert into trajectories values (?, ?, ?, ?, ?, 'policy', 'v', ?, ?, ?, 0, ?, ?, ?, 3, ?, ?, 1, 's', 0, 0)",
  );
  const score = db.prepare("insert into scores values (?, ?, '', ?)");
  db.transaction(() => {
    for (const [at, a] of answers.entries()) {
      const texts = [a.promptId, a.prompt, a.completion];
      add.run(
        a.id,
        a.run,
        a.attempt,
        a.sequence,
        at % 60,
        a.step,
        a.purpose,
        ...texts,
        a.tokens + 3,
        a.logp,
        a.stop,
      );
      for (const [name, value] of Object.entries(a.scores))
        score.run(a.id, name, Number.isNaN(value) ? null : value);
    }
  })();
}
export const queriesOf = (db: Db) =>
  sampledQueries({ db, folder: '', tidy: () => undefined, making: new Set<string>() });
const asked = (own: Partial<PageInput>): PageInput => ({
  runIds: ['r'],
  query: '',
  sort: null,
  view: 'answers',
  promptId: null,
  equalTo: null,
  ids: null,
  asOf: null,
  offset: 0,
  limit: 40,
  ...own,
});
export const page = (db: Db, own: Partial<PageInput>) => atOnce(queriesOf(db).page(asked(own)));
export function fillColumns(db: Db, runId: string): number {
  const queries = queriesOf(db);
  let parts = 0;
  for (let part = atOnce(queries.nextPart(runId)); part; part = atOnce(queries.nextPart(runId))) {
    queries.putPart(part);
    parts += 1;
  }
  return parts;
}
export function fillTexts(db: Db, runId: string): void {
  const queries = queriesOf(db);
  while (queries.pending([runId]).texts > 0) atOnce(queries.fillTexts(runId));
}
