import { reservedNames, sampleNumbers, sampleValues, scoreName } from '../../../preload/wire/sample-query.ts';
import { queryError } from '../../../preload/wire/query.ts';
import type { SearchWord } from '../../../preload/wire/row-search.ts';
import type { Db } from '../database.ts';
import { Bits } from '../rows/bits.ts';
import type { Column, Found, Queried, RowTexts } from '../rows/queried.ts';
import type { Sliced } from '../slices.ts';
import { marks, purposes, scoreColumn, starts, stops, type Place } from './batch.ts';
import { EqualAnswers, textKey } from './keys.ts';
import { answersOf, type RunAnswers } from './loaded.ts';
import { matchingTexts, rowsWithCodes } from './texts.ts';

/** A run's answers in a table: those from `from` on. */
interface TableRun {
  readonly answers: RunAnswers;
  readonly from: number;
}

const categories: Readonly<Record<string, readonly string[]>> = {
  mark: marks,
  start: starts,
  purpose: purposes,
  stop: stops,
};

/** Place of an answer in the workspace. */
export type AnswerPlace = Place & { readonly runId: string };

/** The answers of some runs at one time, run after run, each in the order in which it was sampled. */
export class SampleTable implements Queried {
  readonly db: Db;
  readonly runs: readonly TableRun[];
  readonly size: number;
  readonly present: Bits;
  readonly cache = new Map<string, unknown>();
  readonly hasOthers = false;
  /** Scorers of any answer. */
  readonly scorers: readonly string[];
  readonly #numbers = new Map<string, Float64Array>();
  #superseded: Bits | null = null;

  constructor(db: Db, answers: readonly RunAnswers[]) {
    this.db = db;
    let from = 0;
    this.runs = answers.map((each) => ({ answers: each, from: (from += each.size) - each.size }));
    this.size = from;
    this.present = Bits.full(from);
    const names = answers.flatMap((each) => [...each.names()]);
    const prefix = scoreColumn('');
    const scores = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    this.scorers = [...new Set(scores)].sort();
  }

  isSet(): boolean {
    return false;
  }

  has(): boolean {
    // `nameOf` refuses the names of columns that answers do not have
    return true;
  }

  /** The scorer that `reward` means: one of that name, the total, else the first one that does not count failures. */
  get reward(): string | null {
    const own = this.scorers.filter((name) => !name.endsWith('/failed'));
    return own.find((name) => name === 'reward') ?? own.find((name) => name === 'total') ?? own[0] ?? null;
  }

  nameOf(column: string, term: string): string {
    const lower = column.toLowerCase();
    const isBuiltIn = [...sampleNumbers, ...sampleValues].some((name) => name === lower);
    if (isBuiltIn) return lower;
    const own = lower.startsWith('score.') ? column.slice('score.'.length) : column;
    const scorer =
      this.scorers.find((name) => name === own) ??
      this.scorers.find((name) => name.toLowerCase() === own.toLowerCase()) ??
      (lower === 'reward' ? this.reward : null);
    if (scorer !== null && scorer !== undefined && (own !== column || !reservedNames.has(lower)))
      return scoreColumn(scorer);
    const known = ['reward', ...this.scorers.map(scoreName), ...sampleNumbers].slice(0, 14).join(', ');
    throw queryError(
      term,
      `There is no column '${column}'.`,
      `There are: ${known}. To search for this text, put it in quotes.`,
    );
  }

  *column(name: string): Sliced<Column> {
    if (name === 'run') return this.#runColumn();
    const values = Object.hasOwn(categories, name) ? categories[name] : undefined;
    if (!values) return { kind: 'number', data: yield* this.numbers(name) };
    const key = `category/${name}`;
    const known = this.cache.get(key);
    if (known) return known as Column;
    const numbers = yield* this.numbers(name);
    const column: Column = { kind: 'category', data: Uint16Array.from(numbers, (code) => code + 1), values };
    this.cache.set(key, column);
    return column;
  }

  #runColumn(): Column {
    const data = new Uint16Array(this.size);
    for (const [at, { from, answers }] of this.runs.entries()) data.fill(at + 1, from, from + answers.size);
    return { kind: 'category', data, values: this.runs.map(({ answers }) => answers.runId) };
  }

  /** A number per answer; NaN where it has none. `meanlogp`: the log-probability of an answer's mean token. */
  *numbers(name: string): Sliced<Float64Array> {
    const known = this.#numbers.get(name);
    if (known) return known;
    const whole = this.runs.length === 1 ? yield* this.runs[0].answers.whole(name) : null;
    const data = whole ?? new Float64Array(this.size);
    if (whole) this.#numbers.set(name, whole);
    else if (name === 'meanlogp') {
      const [logps, lengths] = [yield* this.numbers('logp'), yield* this.numbers('length')];
      for (let row = 0; row < data.length; row += 1) data[row] = logps[row] / lengths[row];
    } else for (const { answers, from } of this.runs) yield* answers.write(name, data, from);
    this.#numbers.set(name, data);
    return data;
  }

  /** For each answer the first one to the same prompt, and the first one with the same text to it. */
  *codes(): Sliced<{ readonly prompts: Float64Array; readonly answers: Float64Array }> {
    const [only] = this.runs;
    if (this.runs.length === 1 && only.answers.tail.length === 0)
      return { prompts: yield* this.numbers('firstprompt'), answers: yield* this.numbers('firstanswer') };
    const known = this.cache.get('codes');
    if (known) return known as { prompts: Float64Array; answers: Float64Array };
    const [prompts, answers] = [yield* this.numbers('promptkey'), yield* this.numbers('answerkey')];
    const codes = new EqualAnswers().add(0, prompts, answers);
    this.cache.set('codes', codes);
    return codes;
  }

  /** Reads what queries look up without waiting: superseded answers, and codes where an index has texts. */
  *load(): Sliced<void> {
    if (this.#superseded) return;
    const [attempts, steps] = [yield* this.numbers('attempt'), yield* this.numbers('step')];
    const kinds = yield* this.numbers('purpose');
    const superseded = new Bits(this.size);
    for (const { from, answers } of this.runs) {
      if (answers.last.attempt <= (attempts[from] ?? Infinity)) continue;
      const newest = new Map<number, number>();
      const end = from + answers.size;
      const keyOf = (row: number): number => steps[row] * purposes.length + kinds[row];
      for (let row = from; row < end; row += 1)
        newest.set(keyOf(row), Math.max(newest.get(keyOf(row)) ?? 0, attempts[row]));
      for (let row = from; row < end; row += 1)
        if (attempts[row] < (newest.get(keyOf(row)) ?? 0)) superseded.add(row);
      yield;
    }
    this.#superseded = superseded;
    if (this.runs.some(({ answers }) => answers.indexed.texts > 0)) yield* this.codes();
  }

  /** Only answers of a step that a later attempt repeated are marked, as `excluded`. */
  set(name: string): Bits {
    return name === 'excluded' && this.#superseded ? this.#superseded : new Bits(this.size);
  }

  notes(): Bits {
    return new Bits(this.size);
  }

  word(word: SearchWord, quick: boolean): Found {
    const none = new Bits(this.size);
    const known = this.#knownCodes();
    if (word.prefixes.length === 0 || !known) return { yes: none, maybe: this.present };
    const key = `word/${word.prefixes.join(' ')}`;
    const cached = this.cache.get(key);
    const found = cached instanceof Bits ? cached : this.#lookUp(word, quick, known);
    if (!found) return { yes: none, maybe: this.present };
    this.cache.set(key, found);
    const rest = new Bits(this.size);
    for (const { answers, from } of this.runs)
      for (let row = answers.indexed.texts; row < answers.size; row += 1) rest.add(from + row);
    return { yes: word.exact ? found : none, maybe: found.or(rest) };
  }

  #knownCodes(): { readonly prompts: Float64Array; readonly answers: Float64Array } | null {
    const [prompts, answers] = [this.#numbers.get('firstprompt'), this.#numbers.get('firstanswer')];
    const own = this.runs.length === 1 && this.runs[0].answers.tail.length === 0;
    if (own && prompts && answers) return { prompts, answers };
    return (this.cache.get('codes') as { prompts: Float64Array; answers: Float64Array } | undefined) ?? null;
  }

  /** The answers of the index that have a word in the prompt or the answer; null if there are too many. */
  #lookUp(
    word: SearchWord,
    quick: boolean,
    codes: { readonly prompts: Float64Array; readonly answers: Float64Array },
  ): Bits | null {
    const [prompts, answers]: [number[], number[]] = [[], []];
    for (const { answers: own, from } of this.runs) {
      const { number, texts } = own.indexed;
      if (number === null || texts === 0) continue;
      const ofPrompts = matchingTexts(this.db, number, 'prompt', word, quick);
      const ofAnswers = ofPrompts && matchingTexts(this.db, number, 'answer', word, quick);
      if (!ofPrompts || !ofAnswers) return null;
      for (const row of ofPrompts) prompts.push(from + row);
      for (const row of ofAnswers) answers.push(from + row);
    }
    return rowsWithCodes(codes.prompts, prompts).or(rowsWithCodes(codes.answers, answers));
  }

  texts(rows: readonly number[]): RowTexts[] {
    const read = this.db.prepare<[string, number, number, number], { prompt: string; completion: string }>(
      'select prompt, completion from trajectories where run_id = ? and attempt = ? and sequence = ? and position = ?',
    );
    return rows.flatMap((row) => {
      const { runId, attempt, sequence, position } = this.placeOf(row);
      const texts = read.get(runId, attempt, sequence, position);
      if (!texts) return [];
      return [{ row, prompt: texts.prompt, answer: texts.completion, reference: null, extra: null }];
    });
  }

  /** Place of an answer; `places` must have been read. */
  placeOf(row: number): AnswerPlace {
    const { answers } = this.runs.findLast(({ from }) => from <= row) ?? this.runs[0];
    const at = (name: string): number => this.#numbers.get(name)?.[row] ?? 0;
    return {
      runId: answers.runId,
      attempt: at('attempt'),
      sequence: at('sequence'),
      position: at('position'),
    };
  }

  /** The first answer to a prompt; null if the table has none. */
  *rowOfPrompt(promptId: string): Sliced<number | null> {
    const row = (yield* this.numbers('promptkey')).indexOf(textKey(promptId));
    return row < 0 ? null : row;
  }

  /** The rows of the answers with these ids; those of other runs are left out. */
  rowsOf(ids: readonly string[]): number[] {
    const select = this.db.prepare<[string], AnswerPlace>(
      'select run_id runId, attempt, sequence, position from trajectories where id = ?',
    );
    return ids.flatMap((id) => {
      const place = select.get(id);
      const run = this.runs.find(({ answers }) => answers.runId === place?.runId);
      if (!place || !run) return [];
      let [low, high] = [run.from, run.from + run.answers.size - 1];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (isBefore(this.placeOf(middle), place)) low = middle + 1;
        else high = middle;
      }
      return [low];
    });
  }

  /** Reads the columns that locate answers. */
  *places(): Sliced<void> {
    for (const name of ['attempt', 'sequence', 'position']) yield* this.numbers(name);
  }
}

const isBefore = (a: Place, b: Place): boolean =>
  (a.attempt - b.attempt || a.sequence - b.sequence || a.position - b.position) < 0;

/** Most runs and tables that stay in memory. */
const most = { runs: 16, tables: 2 };
const kept = new WeakMap<Db, { runs: Map<string, RunAnswers>; tables: Map<string, SampleTable> }>();
/** Runs whose answers are being read: other calls wait for them. */
const loading = new Set<string>();

/** The answers of runs as they are now. Throws `not-found`. */
export function* sampleTable(db: Db, runIds: readonly string[]): Sliced<SampleTable> {
  const open = kept.get(db) ?? {
    runs: new Map<string, RunAnswers>(),
    tables: new Map<string, SampleTable>(),
  };
  kept.set(db, open);
  const wanted = [...new Set(runIds)];
  const answers: RunAnswers[] = [];
  for (const runId of wanted) {
    while (loading.has(runId)) yield;
    loading.add(runId);
    try {
      const own = yield* answersOf(db, runId, open.runs.get(runId) ?? null);
      open.runs.delete(runId);
      open.runs.set(runId, own);
      answers.push(own);
    } finally {
      loading.delete(runId);
    }
  }
  const key = wanted.join();
  const known = open.tables.get(key);
  const isSame = known?.runs.every((run, at) => run.answers === answers[at]) === true;
  const table = known && isSame ? known : new SampleTable(db, answers);
  open.tables.delete(key);
  open.tables.set(key, table);
  for (const old of [...open.tables.keys()].slice(0, -most.tables)) open.tables.delete(old);
  for (const old of [...open.runs.keys()].slice(0, -most.runs)) open.runs.delete(old);
  yield* table.places();
  yield* table.load();
  return table;
}
