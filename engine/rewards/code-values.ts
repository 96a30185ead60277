import { WhetstoneError } from '../common/errors.ts';
import { theSandbox, type Data, type Outcome } from '../sandbox/index.ts';
import type { RowValues, Value, ValueRow } from '../schema/row-values.ts';

/** Rows of one task, as long as their texts are short. */
const ROWS = 128;
/** Characters of the rows of one task. */
const CHARACTERS = 400_000;
/** Processor time of a task of several rows; if it takes longer, its rows run one by one. */
const BATCH_MS = 2000;
/** Most characters of a text value. */
const TEXT = 10_000;
/** Rows one after the other that exceed their time before the column is given up. */
const PATIENCE = 20;
const memoryBytes = 64 * 2 ** 20;

/**
 * Runs the code on rows, inside the sandbox: compiled anew for each row, so that no row sees another's
 * variables. The code is an expression over the columns' names, or a function of the row. Without rows it
 * only reports code that cannot be compiled.
 */
const runner = `(source, names, rows) => {
  const legal = names.filter((name) => { try { new Function(name, ''); return true; } catch { return false; } });
  const compile = () => {
    try {
      const body = new Function('row', ...legal, 'return (' + source + '\\n)');
      return (row) => {
        const value = body(row, ...legal.map((name) => row[name]));
        return typeof value === 'function' ? value(row) : value;
      };
    } catch (error) {
      let made;
      try { made = (0, eval)(source); } catch { throw error; }
      if (typeof made !== 'function') throw error;
      return made;
    }
  };
  const text = (error) => String(error && error.message !== undefined ? error.name + ': ' + error.message : error).slice(0, 300);
  try { compile(); } catch (error) { return { broken: text(error) }; }
  const judged = (value) => {
    if (value === null || typeof value === 'boolean') return [value];
    if (typeof value === 'number') return Number.isFinite(value) ? [value] : [null, 'It returned ' + value + '.'];
    if (typeof value === 'string')
      return value.length <= ${TEXT}
        ? [value]
        : [null, 'It returned a text of ' + value.length + ' characters; ${TEXT} are allowed.'];
    if (value === undefined) return [null, 'It returned nothing (undefined).'];
    const type = Array.isArray(value) ? 'a list' : 'a value of the type ' + typeof value;
    return [null, 'It returned ' + type + ', not a number, a text or true or false.'];
  };
  const made = (row) => {
    try { return judged(compile()(row)); } catch (error) { return [null, text(error)]; }
  };
  return { made: rows.map(made) };
}`;

type Made = readonly (readonly [value: Value, fault?: string])[];

/** The row as the code sees it: its columns by name, and those of the file also in `extra`. */
const argumentOf = ({ promptId, prompt, answer, reference, correct, source, extra }: ValueRow) =>
  ({ ...extra, prompt, answer, reference, correct, source, promptId, extra }) as unknown as Data;

function* batchesOf(rows: readonly ValueRow[]): Generator<readonly ValueRow[]> {
  let batch: ValueRow[] = [];
  let characters = 0;
  for (const row of rows) {
    const own = row.prompt.length + row.answer.length;
    if (batch.length > 0 && (batch.length === ROWS || characters + own > CHARACTERS)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(row);
    characters += own;
  }
  if (batch.length > 0) yield batch;
}

const refused = (what: string): WhetstoneError =>
  new WhetstoneError('invalid-input', what, {
    where: 'code',
    hint: 'Write an expression such as answer.length, or a function of the row: (row) => row.answer.length.',
  });

/** The values of an outcome; null if the task as a whole has failed. Throws for code that is no code. */
function madeOf(outcome: Outcome, count: number): Made | null {
  if (!outcome.ok) return null;
  const value = outcome.value as { readonly broken?: string; readonly made?: Made } | null;
  if (typeof value?.broken === 'string') throw refused(`The code cannot be read: ${value.broken}`);
  return Array.isArray(value?.made) && value.made.length === count ? value.made : null;
}

/** The value of user code for each row; code that fails on a row is a fault of that row. */
export class CodeValues {
  readonly #code: string;
  readonly #timeMs: number;
  /** Rows one after the other that took too long. */
  #late = 0;

  constructor({ code, timeMs }: { readonly code: string; readonly timeMs: number }) {
    this.#code = code;
    this.#timeMs = timeMs;
  }

  /** Throws `invalid-input` for code that cannot be compiled, or that takes too long on many rows in turn. */
  async values(
    rows: readonly ValueRow[],
    step: (done: number) => void = () => undefined,
  ): Promise<RowValues> {
    const made: Made[number][] = [];
    for (const batch of batchesOf(rows)) {
      made.push(...((await this.#batch(batch)) ?? (await this.#oneByOne(batch))));
      step(made.length);
    }
    const faults = made.flatMap(([, message], row) => (message === undefined ? [] : [{ row, message }]));
    return { values: made.map(([value]) => value), faults };
  }

  async #batch(rows: readonly ValueRow[]): Promise<Made | null> {
    if (this.#late > 0) return null;
    const [outcome] = await this.#run([rows], Math.max(BATCH_MS, this.#timeMs));
    return madeOf(outcome, rows.length);
  }

  async #oneByOne(rows: readonly ValueRow[]): Promise<Made> {
    const made: Made[number][] = [];
    for (const row of rows) {
      const [outcome] = await this.#run([[row]], this.#timeMs);
      const own = madeOf(outcome, 1);
      this.#late = !outcome.ok && outcome.error.kind === 'timeout' ? this.#late + 1 : 0;
      if (this.#late === PATIENCE)
        throw refused(
          `The code did not end within ${this.#timeMs} ms on ${PATIENCE} rows one after the other.`,
        );
      made.push(own?.[0] ?? [null, outcome.ok ? 'It returned no value.' : outcome.error.message]);
    }
    return made;
  }

  #run(tasks: readonly (readonly ValueRow[])[], timeMs: number): Promise<Outcome[]> {
    return theSandbox().runJs(
      tasks.map((rows) => {
        const names = [...new Set(rows.flatMap((row) => Object.keys(argumentOf(row) as object)))];
        return { code: runner, args: [this.#code, names, rows.map(argumentOf)] };
      }),
      { timeMs, memoryBytes, resultChars: 4_000_000 },
    );
  }
}
