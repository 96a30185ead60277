import { Worker } from 'node:worker_threads';
import { entryOf } from '../../../engine/common/entry.ts';
import { evaluationProblems } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Against, Examination, ExamineProgress } from '../../../preload/contract/doctor.ts';
import type { QueryRow } from '../../../preload/contract/rows.ts';
import type { ColumnModel } from '../../../preload/contract/columns.ts';
import { placeOf } from '../../services/opened-model.ts';
import type { Services } from '../../services/services.ts';
import { cancelled, countMatching, rowsMatching, timer } from '../reading.ts';
import type { Diagnosed } from './diagnose.ts';
import type { DoctorRow } from './patient.ts';
import type { FromDoctor, OtherSide, SentOptions, ToDoctor } from './protocol.ts';

const entry = entryOf(import.meta.url, './worker.ts', './doctor-worker.js');

export interface ExamineInput {
  readonly id: string;
  readonly tokenizer?: ColumnModel | undefined;
  readonly against: readonly Against[];
  readonly split?: string | undefined;
  readonly wrongMarks: boolean;
  readonly score?: string | undefined;
}

/** Held-out problems of a world that rows are compared with. */
const problems = 1000;
/** Share of the work that reading and measuring take. */
const reading = 0.2;

/**
 * Examines the rows of a dataset that are not excluded, in a thread of its own, and stores the result. Throws
 * `conflict` if the rows are changed meanwhile, `cancelled`; then the result before stays.
 */
export async function examineDataset(
  services: Services,
  input: ExamineInput,
  signal: AbortSignal,
  push: (progress: ExamineProgress) => void,
): Promise<Examination> {
  const { store } = services;
  const { id } = input;
  const start = performance.now();
  const left = timer();
  const report = (step: string, share: number): void =>
    push({ state: 'examining', step, share, secondsLeft: left(share) });
  await store.curation.settle(id);
  const steps = await store.findings.steps(id);
  const thread = new DoctorThread(signal);
  try {
    await sendRows(services, input, thread, signal, (share) => report('reading', reading * share));
    const others = await sidesOf(services, input.against, signal);
    const { summary, sets } = await thread.diagnose(
      {
        others,
        measured: input.tokenizer !== undefined,
        tokenizer: input.tokenizer ? await nameOf(services, input.tokenizer) : null,
        wrongMarks: input.wrongMarks,
        score: input.score ?? null,
      },
      (step, share) => report(step, reading + (1 - reading) * share),
    );
    if ((await store.findings.steps(id)).join() !== steps.join())
      throw new WhetstoneError('conflict', 'Rows were changed while the dataset was examined.', {
        where: id,
        hint: 'Examine it again.',
      });
    if (signal.aborted) throw cancelled();
    const seconds = (performance.now() - start) / 1000;
    await store.findings.put(id, { steps, summary: { ...summary, seconds }, sets });
  } finally {
    await thread.end();
  }
  const examination = await store.findings.get(id);
  if (!examination) throw new WhetstoneError('internal', 'The examination was not stored.', { where: id });
  push({ state: 'done', examination });
  return examination;
}

/** A thread that collects rows and examines them; aborting the signal ends it. */
class DoctorThread {
  readonly #worker = new Worker(entry);
  readonly #failed: Promise<never>;
  #receive: (message: FromDoctor) => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#failed = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(cancelled()), { once: true });
      this.#worker.once('error', reject);
      this.#worker.once('exit', () =>
        reject(new WhetstoneError('internal', 'The examination ended without a result.')),
      );
    });
    this.#failed.catch(() => undefined); // its users await it
    this.#worker.on('message', (message: FromDoctor) => this.#receive(message));
  }

  add(rows: readonly DoctorRow[], tokens: readonly (number | null)[]): void {
    this.#worker.postMessage({ do: 'add', rows, tokens } satisfies ToDoctor);
  }

  diagnose(options: SentOptions, report: (step: string, share: number) => void): Promise<Diagnosed> {
    const done = new Promise<Diagnosed>((resolve, reject) => {
      this.#receive = (message) => {
        if (message.state === 'examining') report(message.step, message.share);
        else if (message.state === 'done') resolve(message.diagnosed);
        else reject(WhetstoneError.from(message.error));
      };
    });
    this.#worker.postMessage({ do: 'diagnose', options } satisfies ToDoctor);
    return Promise.race([done, this.#failed]);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Sends every row that is not excluded to the thread, with its tokens if a tokenizer was chosen. */
async function sendRows(
  services: Services,
  { id, tokenizer, split, score }: ExamineInput,
  thread: DoctorThread,
  signal: AbortSignal,
  report: (share: number) => void,
): Promise<void> {
  const { store, engine } = services;
  const total = await countMatching(store, id, '');
  const place = tokenizer ? await placeOf(services, tokenizer) : null;
  let done = 0;
  for await (const rows of rowsMatching(store, id, '', signal)) {
    const texts = rows.map(({ prompt, answer }) => ({ prompt, answer }));
    const tokens = place
      ? (await engine.call('measure', { ...place, texts }, signal)).tokens
      : rows.map(() => null);
    thread.add(
      rows.map((row) => doctorRow(row, split, score)),
      tokens,
    );
    done += rows.length;
    report(total === 0 ? 1 : done / total);
  }
}

function doctorRow(row: QueryRow, split: string | undefined, score: string | undefined): DoctorRow {
  const { row: number, line, promptId, prompt, answer, correct, splits, extra = {} } = row;
  const cell = (name: string): unknown =>
    extra[Object.keys(extra).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name];
  const named = cell(split ?? 'split');
  const value = score === undefined ? null : cell(score);
  return {
    row: number,
    line,
    promptId,
    prompt,
    answer,
    correct,
    split: typeof named === 'string' || typeof named === 'number' ? String(named) : (splits[0] ?? null),
    score: typeof value === 'number' ? value : null,
  };
}

const nameOf = async ({ store }: Services, { kind, id }: ColumnModel): Promise<string> =>
  kind === 'model' ? (await store.models.get(id)).name : `checkpoint ${id}`;

/** The data that rows are compared with: each distinct prompt once. */
async function sidesOf(
  { store }: Services,
  against: readonly Against[],
  signal: AbortSignal,
): Promise<OtherSide[]> {
  const sides: OtherSide[] = [];
  for (const { kind, id } of against) {
    if (kind === 'world') {
      const side = evaluationProblems(id, problems);
      sides.push({ name: id, prompts: Array.from({ length: side.count }, (_none, at) => side.text(at)) });
      continue;
    }
    const { name } = await store.datasets.get(id);
    const prompts = new Set<string>();
    for await (const rows of rowsMatching(store, id, '', signal))
      for (const { prompt } of rows) prompts.add(prompt);
    sides.push({ name, prompts: [...prompts] });
  }
  return sides;
}
