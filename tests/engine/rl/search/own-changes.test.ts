import { describe, expect, test } from 'vitest';
import { ragged } from '../../../../engine/rl/kernel/rows.ts';
import type { StageContext } from '../../../../engine/rl/kernel/stage.ts';
import * as part from '../../../../engine/rl/parts/index.ts';
import { mostSimilar, similarity } from '../../../../engine/rl/parts/math/similar-steps.ts';
import type { Candidate, Growing } from '../../../../engine/rl/parts/samplers/candidates.ts';
import { rerank } from '../../../../engine/rl/search/rules/rerank.ts';

/** A candidate whose tokens are its characters, with 0 for a line break. */
const written = (text: string, value: number, parent = -1): Candidate => ({
  tokens: [...text].map((letter) => (letter === '\n' ? 0 : letter.charCodeAt(0))),
  logp: [...text].map(() => -1),
  fresh: text.length,
  given: 0,
  text,
  isDone: !text.endsWith('\n'),
  ended: !text.endsWith('\n'),
  parent,
  value,
  sample: 0,
  scores: {},
});
const textOf = ({ candidate }: Growing): string =>
  (candidate?.tokens ?? []).map((token) => (token === 0 ? '\n' : String.fromCharCode(token))).join('');

describe('an evolution', () => {
  const words = { revise: '<r>', recombine: '<c>', refine: '<f>' };
  test('shows the model its own answers by turns: one to revise, two to recombine, the best to refine', async () => {
    const asked: string[] = [];
    // the first answers a, b, c are worth 1, 3 and 2; children are worth nothing
    const [{ tried, pick }] = await part.evolution(['q'], { size: 3, generations: 1, words }, async (from) =>
      from.map((each, at) => {
        asked.push(each.shown ?? '');
        return each.shown === undefined
          ? written('abc'[at], [1, 3, 2][at])
          : written(`child ${at}`, 0, each.parent);
      }),
    );
    expect(asked).toEqual(['', '', '', 'qb<r>', 'qc<c>a<c>', 'qb<f>']);
    expect(tried.slice(3).map(({ parent }) => parent)).toEqual([1, 2, 1]);
    expect(tried[pick].text).toBe('b');
  });
  test('keeps the best different texts, and climbs where children are better than their parents', async () => {
    // a child of n is n + 1; equal texts do not crowd the pool
    const shownNumber = (shown: string) => Number(/\d+/.exec(shown)?.[0]);
    const plan = { size: 4, generations: 5, words };
    const [{ tried, pick }] = await part.evolution(['q'], plan, async (from) =>
      from.map(({ shown, parent }) => {
        const number = shown === undefined ? 0 : shownNumber(shown) + 1;
        return written(String(number), number, parent);
      }),
    );
    expect(tried).toHaveLength(4 * 6);
    expect(tried[pick].text).toBe('5');
  });
});

describe('a descent', () => {
  const rules = { isBreak: (token: number) => token === 0, most: 20 };
  test('edits the whole answer, then what follows its first lines, and keeps what the judge prefers', async () => {
    // values by text; a level is settled after one rejection
    const value: { readonly [text: string]: number } = { 'a\nx\n1': 1, 'b\nx\n1': 2, 'b\ny\n1': 4 };
    const edits = ['a\nx\n1', 'b\nx\n1', 'c\nx\n1', 'b\ny\n1', 'b\nz\n1', 'b\ny\n2'];
    const kept: string[] = [];
    const plan = { edits: 10, levels: 3, patience: 1 };
    const [{ tried, pick }] = await part.descent(
      1,
      plan,
      async (from) =>
        from.map((each) => {
          kept.push(textOf(each));
          const text = edits[kept.length - 1];
          return written(text, value[text] ?? 0, each.parent);
        }),
      rules,
    );
    // levels 0, 0; 1, 1; 2, after which no level is left
    expect(kept).toEqual(['', '', '', 'b\n', 'b\n', 'b\ny\n']);
    expect(tried[pick].text).toBe('b\ny\n1');
    expect(tried.map(({ parent }) => parent)).toEqual([-1, 0, 1, 1, 3, 3]);
  });
  test('ends before levels that an answer does not have', async () => {
    const plan = { edits: 10, levels: 5, patience: 2 };
    const [{ tried }] = await part.descent(
      1,
      plan,
      async (from) => from.map(({ parent }) => written('one line', 1, parent)),
      rules,
    );
    expect(tried).toHaveLength(3);
  });
});

describe('examples by the step', () => {
  const bank = [
    { problem: '1+2=?', step: '1+2=3\n' },
    { problem: '7-4=?', step: '7-4=3\n' },
  ];
  test('are the most similar step by runs of characters, as by hand, and none below the bound', () => {
    // pairs ab, bc against ab, bd: one of two in common
    expect(similarity('abc', 'abd', 2)).toBeCloseTo(0.5, 12);
    // aa twice against aa once and ab once: 2 ⁄ (2 · √2)
    expect(similarity('aaa', 'aab', 2)).toBeCloseTo(1 / Math.SQRT2, 12);
    expect(mostSimilar(bank, '8-4=4', { least: 0.3, n: 2 })?.step).toBe('7-4=3\n');
    expect(mostSimilar(bank, 'xyz', { least: 0.3, n: 2 })).toBeNull();
  });
  test('are looked up by a tried line, which is then written again behind them or stays', async () => {
    const asked: string[] = [];
    // each try has the text of its round; what is written behind an example ends with !
    const lines = ['9-4=4\n', 'unlike'];
    let tries = 0;
    const plan = { bank, least: 0.3, n: 2, rounds: 5 };
    const [{ tried, pick }] = await part.boosted(['9-4=?'], 1, plan, async (from) =>
      from.map((each) => {
        asked.push(`${each.shown ?? ''}|${textOf(each)}`);
        const again = each.shown !== undefined;
        return written(`${textOf(each)}${again ? '9-4=5\n' : lines[tries++]}`, 1, each.parent);
      }),
    );
    expect(asked).toEqual(['|', '7-4=?7-4=3\n9-4=?|', '|9-4=5\n']);
    expect(tried.map(({ text }) => text)).toEqual(['9-4=5\n', '9-4=5\nunlike']);
    expect(tried[pick].ended).toBe(true);
    // the dropped try was written too
    expect(tried[0].fresh).toBe('9-4=4\n'.length + '9-4=5\n'.length);
  });
});

describe('the own verdict', () => {
  test('is the share of lines for which yes is at least as likely as no', async () => {
    const letters = ['\n', 'a', 'b', 'Y', 'N', 'E', 'q'];
    const encode = (text: string) => Int32Array.from(text, (letter) => letters.indexOf(letter));
    const text = {
      encode,
      decode: (ids: ArrayLike<number>) => Array.from(ids, (id) => letters[id]).join(''),
      end: 5,
      context: 20,
    };
    const answers = ['qa\nb\nb', 'qb', 'qab\na'];
    const tokens = ragged(answers, Int32Array, encode);
    const mask = ragged(answers, Uint8Array, (answer) => [...answer].map((_, t) => Number(t > 0)));
    // the judge likes lines that end with a: Y is likelier there
    const logp = async (rows: typeof tokens) => ({
      ...rows,
      values: Float32Array.from(rows.values, (token, at) => {
        const before = [...rows.values.slice(0, at)].reverse().find((id) => id === 1 || id === 2);
        return token === 3 ? (before === 1 ? -1 : -3) : token === 4 ? -2 : 0;
      }),
    });
    const judge = async (judges: 'steps' | 'answer') => {
      const { run } = part.selfVerdict({ judges, question: '', right: 'Y', wrong: 'N' });
      const made = await run(
        { tokens, mask, 'model/initial': { logp } } as never,
        { text } as unknown as StageContext,
      );
      return [...(made.raw?.['self-verdict'] ?? [])];
    };
    expect(await judge('steps')).toEqual([1 / 3, 0, 1 / 2]);
    expect(await judge('answer')).toEqual([0, 0, 1]);
  });
  test('reranks, and the majority decides among answers with the same verdict', () => {
    const problem = {
      promptId: 'p',
      answers: ['x', 'y', 'y', 'z'],
      correct: [0, 1, 1, 0],
      texts: [0, 1, 2, 3],
      tokens: [1, 1, 1, 1],
      logp: [-1, -1, -1, -1],
      scores: { verdict: [1, 1, 1, 0], best: [1, 0, 0, 0] },
    };
    const view = {
      problem,
      n: 4,
      isSigned: false,
      subsets: [
        [0, 1, 2, 3],
        [0, 1, 3],
      ],
      rankPower: 1,
    };
    // all four: y wins among x, y, y; three of them: x and y tie
    expect(rerank.accuracy({ ...view, scorer: 'verdict' })).toBeCloseTo((1 + 0.5) / 2, 12);
    expect(rerank.accuracy({ ...view, scorer: 'best' })).toBe(0);
  });
});
