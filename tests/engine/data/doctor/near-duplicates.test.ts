import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_BANDS,
  detection,
  documentsOf,
  finished,
  leakage,
  nearDuplicates,
  splitSide,
} from '../../../../engine/data/index.ts';
import { MinHash } from '../../../../engine/data/doctor/min-hash.ts';
import { jaccard, normalisedText, shinglesOf } from '../../../../engine/data/doctor/texts.ts';
import { UnionFind } from '../../../../engine/data/doctor/union-find.ts';
import { stream } from '../../../../engine/random/random.ts';
import { caught } from '../../../support/errors.ts';
import { corpusOf } from '../../../bench/ours/documents.ts';

const clustersOf = (texts: readonly string[], options = {}) =>
  finished(nearDuplicates(documentsOf(texts), options)).clusters;
const rowsOf = (texts: readonly string[], options = {}) => clustersOf(texts, options).map(({ rows }) => rows);

describe('shingles', () => {
  test('ignore case, punctuation and blanks, and keep the order of words', () => {
    const plain = shinglesOf('the cat sat on the mat', 3);
    expect(shinglesOf('The CAT, sat —\r\n on the "mat"!', 3)).toEqual(plain);
    expect(jaccard(plain, shinglesOf('mat the on sat cat the', 3))).toBe(0);
  });
  test('tell apart what only signs of mathematics and code tell apart', () => {
    for (const [a, b] of [
      ['3*2-12=?', '3+2*12=?'],
      ['x < 5 and y', 'x > 5 and y'],
      ['costs $5 now', 'costs €5 now'],
    ])
      expect(jaccard(shinglesOf(a, 3), shinglesOf(b, 3)), `${a} | ${b}`).toBeLessThan(0.5);
  });
  test('of a text with fewer words are one, of a text without words none', () => {
    expect(shinglesOf('two words', 3)).toHaveLength(1);
    expect(shinglesOf('?! …', 3)).toHaveLength(0);
    expect(shinglesOf('', 3)).toHaveLength(0);
  });
  test('count each character of a script without spaces as a word', () => {
    expect(shinglesOf('今日は天気', 3)).toHaveLength(3);
  });
  test('refuse a size that is none', () => {
    expect(caught(() => shinglesOf('a', 0)).where).toBe('shingle');
  });
});

test('normalised texts are equal where only blanks, line ends or forms of characters differ', () => {
  expect(normalisedText(' a\r\n\tcafe\u0301 ﬁ ')).toBe('a café fi');
});

describe('min-hashing', () => {
  test('agrees in a share of permutations that is the Jaccard similarity', () => {
    const hash = new MinHash({ bands: 1, rows: 4000 }, 3);
    const draw = stream(1, 'sets');
    for (const shared of [0, 20, 50, 90]) {
      const all = Array.from({ length: 200 - shared }, () => draw.int(0x100000000));
      const set = (from: number) => Uint32Array.from(all.slice(from, from + 100)).sort();
      const [a, b] = [set(0), set(100 - shared)];
      const first = hash.signature(a).slice();
      const agree = hash.signature(b).filter((value, p) => value === first[p]).length / 4000;
      expect(Math.abs(agree - jaccard(a, b))).toBeLessThan(0.025);
    }
  });
  test('compares pairs with the probability of its detection curve', () => {
    const shape = { bands: 5, rows: 3 };
    const draw = stream(2, 'curve');
    let met = 0;
    for (let trial = 0; trial < 600; trial++) {
      const hash = new MinHash(shape, trial);
      const all = Array.from({ length: 150 }, () => draw.int(0x100000000));
      const keys = [all.slice(0, 100), all.slice(50)].map((set) => {
        const out = new Uint32Array(shape.bands);
        hash.bandKeys(Uint32Array.from(set), out);
        return out;
      });
      met += Number(keys[0].some((key, band) => key === keys[1][band]));
    }
    // 50 of 150 shared: similarity 1/3
    expect(Math.abs(met / 600 - detection(1 / 3, shape))).toBeLessThan(0.05);
  });
  test('default bands find what the documentation says', () => {
    expect([0.8, 0.7, 0.5, 0.3].map((s) => Number(detection(s, DEFAULT_BANDS).toFixed(3)))).toEqual([
      0.998, 0.918, 0.27, 0.014,
    ]);
  });
});

test('union-find joins transitively, whatever the order', () => {
  const sets = new UnionFind(6);
  expect([sets.join(4, 5), sets.join(0, 4), sets.join(5, 0), sets.join(1, 2)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(sets.groups()).toEqual([
    [0, 4, 5],
    [1, 2],
  ]);
});

describe('near duplicates', () => {
  const long = (...changed: readonly (readonly [number, string])[]) => {
    const words = Array.from({ length: 80 }, (_, i) => `word${i}`);
    for (const [at, word] of changed) words[at] = word;
    return words.join(' ');
  };

  test('are equal texts, and texts with a few words changed; the first is the one to keep', () => {
    const found = clustersOf(['other', long(), 'different text', long([40, 'x']), `${long()} `, 'Other!']);
    expect(found.map(({ rows, exact }) => [rows, exact])).toEqual([
      [[0, 5], false],
      [[1, 3, 4], false],
    ]);
    expect(clustersOf(['same text', 'same  text\n']).map(({ exact }) => exact)).toEqual([true]);
    const [, { links }] = found;
    expect(links.find(({ b }) => b === 3)?.similarity).toBeCloseTo(75 / 81, 12);
  });
  test('stop at the threshold', () => {
    const texts = [long(), long([10, 'x'], [30, 'y'], [50, 'z'])];
    expect(rowsOf(texts, { threshold: 0.75 })).toEqual([[0, 1]]);
    expect(rowsOf(texts, { threshold: 0.9 })).toEqual([]);
  });
  test('are none among nothing, one text, and texts without words', () => {
    expect([[], ['one'], ['', '?', '…!']].map((texts) => rowsOf(texts))).toEqual([[], [], []]);
    expect(rowsOf(['', ' ', '\n'])).toEqual([[0, 1, 2]]);
  });
  test('all planted ones of generated documents are found, and no others', () => {
    const { texts, planted } = corpusOf(2000, 3);
    const clusterOf = new Map(
      clustersOf(texts).flatMap(({ rows }, c) => rows.map((row) => [row, c] as const)),
    );
    const near = planted.filter(({ similarity }) => similarity >= 0.8);
    expect(near.length).toBeGreaterThan(20);
    const found = near.filter(
      ({ source, copy }) => clusterOf.has(copy) && clusterOf.get(copy) === clusterOf.get(source),
    );
    expect(found.length / near.length).toBeGreaterThan(0.97);
    const copies = new Set(planted.flatMap(({ source, copy }) => [source, copy]));
    expect([...clusterOf.keys()].filter((row) => !copies.has(row))).toEqual([]);
  });
  test('of any texts are disjoint clusters whose links meet the threshold, the same for the same seed', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (lists) => {
        const texts = lists.map((list) => list.join(' '));
        const found = clustersOf(texts, { shingle: 2 });
        const members = found.flatMap(({ rows }) => rows);
        expect(new Set(members).size).toBe(members.length);
        for (const { rows, links } of found) {
          expect(links).toHaveLength(rows.length - 1);
          for (const { a, b, similarity, equal } of links)
            expect(equal || similarity === jaccard(shinglesOf(texts[a], 2), shinglesOf(texts[b], 2))).toBe(
              true,
            );
        }
        expect(clustersOf(texts, { shingle: 2 })).toEqual(found);
      }),
      { seed: 1, numRuns: 100 },
    );
  });
  test('report rising progress, and can be left at any step', () => {
    const { texts } = corpusOf(1500, 1);
    const shares: number[] = [];
    const work = nearDuplicates(documentsOf(texts));
    for (let step = work.next(); !step.done; step = work.next()) shares.push(step.value.share);
    expect(shares.length).toBeGreaterThan(3);
    expect(shares.toSorted((a, b) => a - b)).toEqual(shares);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    let read = 0;
    const counted = { count: texts.length, text: (at: number) => (read++, texts[at]) };
    for (const { share } of nearDuplicates(counted)) if (share > 0) break;
    expect(read).toBeLessThan(texts.length);
  });
  test('in one crowded bucket cost no square of its size', () => {
    // one template in which every shingle but the last few is shared, so that all meet in some band
    const texts = Array.from({ length: 3000 }, (_, i) => `a b c d e f g h n${i} m${i * 7} k${i * 13} l${i}`);
    const { compared, skipped } = finished(nearDuplicates(documentsOf(texts)));
    expect(compared).toBeLessThan(64 * 3000);
    expect(skipped).toBeGreaterThan(0);
  });
  test('refuse a threshold outside 0 to 1, and bands that are none', () => {
    expect(caught(() => clustersOf(['a'], { threshold: 0 })).where).toBe('threshold');
    expect(caught(() => clustersOf(['a'], { threshold: Number.NaN })).where).toBe('threshold');
    expect(caught(() => clustersOf(['a'], { bands: 1.5 })).where).toBe('bands');
  });
});

test('leakage is what two sides share, equal or nearly', () => {
  const prompt = 'how many apples are left if Tom eats 3 of the 12 apples in his basket before lunch today';
  const row = (id: string, text: string) => ({ id, text });
  const found = finished(
    leakage(
      [
        splitSide('train', [
          row('t1', prompt),
          row('t2', 'twice here'),
          row('t3', 'twice here'),
          row('t4', 'What is 2 + 3?'),
        ]),
        splitSide('heldout', [row('h1', prompt.replace('today', 'now')), row('h2', 'only here')]),
        splitSide('arithmetic', [row('p1', 'what is 2 + 3')]),
      ],
      { threshold: 0.8 },
    ),
  );
  expect(found).toEqual([
    {
      sides: [
        { name: 'train', rows: ['t1'] },
        { name: 'heldout', rows: ['h1'] },
      ],
      exact: false,
    },
    {
      sides: [
        { name: 'train', rows: ['t4'] },
        { name: 'arithmetic', rows: ['p1'] },
      ],
      exact: false,
    },
  ]);
});
