import type { StartStates } from '../../../preload/contract/start-states.ts';
import { endMarks, startKinds } from '../../../preload/wire/start-kinds.ts';
import type { Bits } from '../rows/bits.ts';
import type { Sliced } from '../slices.ts';
import { marks, purposes, starts } from './batch.ts';
import type { SampleTable } from './table.ts';

/** Most windows of steps. */
const mostWindows = 50;

const noAnswers = (): number[][] => startKinds.map(() => endMarks.map(() => 0));
/** Place in the lists of the contract by the stored code. */
const rowOf = starts.map((kind) => startKinds.indexOf(kind));
const columnOf = marks.map((mark) => endMarks.indexOf(mark));

/** Counts of these answers by where they began and how they ended; null if all began at their prompts. */
export function* startsOf(table: SampleTable, rows: Bits): Sliced<StartStates | null> {
  const [start, mark] = [yield* table.numbers('start'), yield* table.numbers('mark')];
  const [purpose, step, back] = [
    yield* table.numbers('purpose'),
    yield* table.numbers('step'),
    yield* table.numbers('back'),
  ];
  let [isMixed, low, high] = [false, Infinity, -Infinity];
  const training = purposes.indexOf('train');
  rows.forEach((row) => {
    isMixed ||= start[row] > 0;
    if (purpose[row] === training) [low, high] = [Math.min(low, step[row]), Math.max(high, step[row])];
  });
  if (!isMixed) return null;
  yield;
  const width = Math.max(1, Math.ceil((high - low + 1) / mostWindows));
  const byPurpose = purposes.map(noAnswers);
  const windows = new Map<number, number[][]>();
  const depths = new Map<number, number>();
  rows.forEach((row) => {
    const [from, to] = [rowOf[start[row]], columnOf[mark[row]]];
    byPurpose[purpose[row]][from][to] += 1;
    if (purpose[row] !== training) return;
    const at = Math.floor((step[row] - low) / width);
    const window = windows.get(at) ?? noAnswers();
    windows.set(at, window);
    window[from][to] += 1;
    if (!Number.isNaN(back[row])) depths.set(back[row], (depths.get(back[row]) ?? 0) + 1);
  });
  const inOrder = [...windows].sort(([a], [b]) => a - b);
  return {
    matrices: purposes
      .map((each, code) => ({ purpose: each, answers: byPurpose[code] }))
      .filter(({ answers }) => answers.flat().some((count) => count > 0)),
    windows: {
      steps: Float64Array.from(inOrder, ([at]) => Math.min(high, low + (at + 1) * width - 1)),
      answers: inOrder.map(([, answers]) => answers),
    },
    depths: [...depths].sort(([a], [b]) => a - b).map(([lines, answers]) => ({ lines, answers })),
  };
}
