/** Interleaves fresh answers with existing rows. */
import { type Table, appendRows, gatherTable } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { sampleNumbers } from './sample-groups.ts';

/** Interleaves two tables: `each` rows of the first, then as many of the second. */
const inTurn = (first: Table, second: Table, rows: number, each: number): Table =>
  gatherTable(
    appendRows(first, second),
    Uint32Array.from({ length: 2 * rows }, (_, at) => {
      const turn = Math.floor(at / (2 * each));
      const place = at % (2 * each);
      return place < each ? turn * each + place : rows + turn * each + place - each;
    }),
  );

/** Follows each sampled answer by one of the initial model to the same prompt; `row/initial` marks those. */
export const interleaveInitial = stage({
  id: 'interleaveInitial',
  station: 'sampler',
  needs: [
    'problem',
    'prompt',
    'sample',
    'tokens',
    'mask',
    'behaviorLogp',
    'completion',
    'ended',
    'model/initial',
  ],
  adds: ['sample', 'tokens', 'mask', 'behaviorLogp', 'completion', 'ended', 'row/initial'],
  run: async ({
    problem,
    prompt,
    sample,
    'model/initial': initial,
    tokens,
    mask,
    behaviorLogp,
    completion,
    ended,
  }) => {
    const rows = sample.length;
    const other = sample.map((number) => number + rows);
    const own: Table = {
      tokens,
      mask,
      behaviorLogp,
      completion,
      ended,
      sample,
      'row/initial': new Float64Array(rows),
    };
    const theirs = {
      ...(await initial.sample(prompt, problem, other)),
      sample: other,
      'row/initial': new Float64Array(rows).fill(1),
    };
    return {
      columns: inTurn(own, theirs, rows, 1) as never,
      from_R: Uint32Array.from({ length: 2 * rows }, (_, r) => r >> 1),
    };
  },
});

/**
 * Follows each stored pair by two fresh answers to its prompt: they have weight 0 in the preference loss,
 * and `row/fresh` marks them.
 */
export const interleaveFresh = stage({
  id: 'interleaveFresh',
  station: 'sampler',
  needs: ['promptId', 'problem', 'prompt', 'pairId', 'agreement', 'weight', 'tokens', 'mask'],
  adds: [
    'pairId',
    'agreement',
    'weight',
    'tokens',
    'mask',
    'sample',
    'behaviorLogp',
    'completion',
    'ended',
    'row/fresh',
  ],
  run: async ({ promptId, problem, prompt, pairId, agreement, weight, tokens, mask }, context) => {
    const rows = pairId.length;
    const from_R = Uint32Array.from(
      { length: 2 * rows },
      (_, r) => 2 * Math.floor(r / 4) + (r % 4 < 2 ? r % 4 : 0),
    );
    const sample = sampleNumbers(promptId, 1);
    const stored: Table = {
      pairId,
      agreement,
      weight,
      tokens,
      mask,
      sample: new Float64Array(rows),
      completion: problem.map(() => ''),
      ended: new Float64Array(rows).fill(1),
      behaviorLogp: { ...mask, values: new Float32Array(mask.values.length) },
      'row/fresh': new Float64Array(rows),
    };
    const fresh: Table = {
      ...(await context.sample(prompt, problem, sample)),
      pairId: pairId.map((id) => id + rows),
      agreement: new Float64Array(rows).fill(0.5),
      weight: new Float64Array(rows),
      sample,
      'row/fresh': new Float64Array(rows).fill(1),
    };
    return { columns: inTurn(stored, fresh, rows, 2) as never, from_R };
  },
});
