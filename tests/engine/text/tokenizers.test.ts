import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { mergePair, splitPattern, trainMerges } from '../../../engine/text/bpe-train.ts';
import { bpeTokenizer, trainBpe } from '../../../engine/text/bpe.ts';
import { bytesTokenizer } from '../../../engine/text/bytes.ts';
import { charactersTokenizer } from '../../../engine/text/characters.ts';
import { loadTokenizer, makeTokenizer, parseTokenizer } from '../../../engine/text/load.ts';
import { specialNames, specials, type Tokenizer } from '../../../engine/text/tokenizer.ts';

const texts = [
  'Natalia sold clips to 48 of her friends in April, and then she sold half as many clips in May.',
  'Weng earns $12 an hour for babysitting. Yesterday, she just did 50 minutes of babysitting. How much did she earn?',
  'The clips that she sold in May were sold to the same friends; they sold 1234 clips ' +
    'altogether.\n\n\tIndented,  twice  spaced.',
];
const alphabet = '0123456789+-=? abc';
const bpe = trainBpe(texts, 330);
const tokenizers: [string, Tokenizer, fc.Arbitrary<string>][] = [
  ['characters', charactersTokenizer(alphabet), fc.string({ unit: fc.constantFrom(...alphabet) })],
  ['bytes', bytesTokenizer(), fc.string({ unit: 'binary' }).map((s) => s.toWellFormed())],
  [
    'bpe',
    bpe,
    fc.oneof(
      fc.string({ unit: 'binary' }).map((s) => s.toWellFormed()),
      fc.constantFrom(...texts),
    ),
  ],
];

describe.each(tokenizers)('the %s tokenizer', (_, tokenizer, text) => {
  it('decodes any text that it encoded', () => {
    fc.assert(
      fc.property(text, (s) => {
        const ids = tokenizer.encode(s);
        expect(tokenizer.decode(ids)).toBe(s);
        expect([...ids].every((id) => id >= 3 && id < tokenizer.vocabulary)).toBe(true);
        expect(tokenizer.decode([specials.begin, ...ids, tokenizer.end, tokenizer.pad, tokenizer.pad])).toBe(
          s,
        );
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('shows a special token inside an answer instead of hiding it', () => {
    const [a, b] = tokenizer.encode('1');
    const one = a ?? b;
    for (const id of [specials.pad, specials.begin, specials.end])
      expect(tokenizer.decode([one, id, one])).toBe('1\ufffd1');
  });

  it('survives a round trip through JSON', () => {
    const again = parseTokenizer(JSON.parse(JSON.stringify(tokenizer.toJson())));
    expect([again.kind, again.vocabulary]).toEqual([tokenizer.kind, tokenizer.vocabulary]);
    fc.assert(
      fc.property(text, (s) => {
        expect(again.encode(s)).toEqual(tokenizer.encode(s));
      }),
      { seed: 8, numRuns: 50 },
    );
  });

  it('gives pad, begin and end distinct, fixed ids', () => {
    expect({ pad: tokenizer.pad, begin: tokenizer.begin, end: tokenizer.end }).toEqual(specials);
  });
});

describe('a character tokenizer', () => {
  it('reports the character that it cannot encode, and its position', () => {
    expect(() => charactersTokenizer('0123').encode('12x3')).toThrow(
      /“x” \(U\+0078\) is not in this tokenizer’s alphabet/,
    );
  });
  it('encodes an answer with a special token, shown as U+FFFD, again', () => {
    const tokenizer = charactersTokenizer('01');
    const shown = tokenizer.decode([specials.begin, 3, specials.begin, 4, specials.end]);
    expect([...tokenizer.encode(shown)]).toEqual([3, tokenizer.pad, 4]);
  });
  it('collects the characters of all texts in a fixed order', () => {
    expect(makeTokenizer({ kind: 'characters' }, ['ba', 'c']).toJson()).toEqual(
      makeTokenizer({ kind: 'characters' }, ['cab']).toJson(),
    );
    expect(charactersTokenizer('a😀').decode(charactersTokenizer('a😀').encode('😀a'))).toBe('😀a');
  });
});

describe('byte-pair encoding', () => {
  /** Applies merges one after the other to whole words: slow and simple. */
  const plain = (text: string, merges: readonly (readonly [number, number])[]): number[] =>
    (text.match(new RegExp(splitPattern, 'gu')) ?? []).flatMap((word) =>
      merges.reduce(
        (symbols, [left, right], i) => mergePair(symbols, left, right, 256 + i),
        [...new TextEncoder().encode(word)],
      ),
    );

  /** The most frequent pair, recounted each time. */
  const plainTraining = (merges: number): [number, number][] => {
    const words = texts
      .flatMap((t) => t.match(new RegExp(splitPattern, 'gu')) ?? [])
      .map((w) => [...new TextEncoder().encode(w)]);
    const found: [number, number][] = [];
    for (let i = 0; i < merges; i++) {
      const counts = new Map<number, number>();
      for (const word of words)
        for (let j = 1; j < word.length; j++)
          counts.set(word[j - 1] * 0x10000 + word[j], (counts.get(word[j - 1] * 0x10000 + word[j]) ?? 0) + 1);
      const best = [...counts].filter(([, n]) => n > 1).sort(([ka, a], [kb, b]) => b - a || ka - kb)[0];
      if (!best) break;
      const pair: [number, number] = [Math.floor(best[0] / 0x10000), best[0] % 0x10000];
      found.push(pair);
      words.forEach((word, w) => {
        words[w] = mergePair(word, pair[0], pair[1], 256 + i);
      });
    }
    return found;
  };

  it('finds the merges of a naive count, and stops when no pair occurs twice', () => {
    const merges = trainMerges(texts, 2000);
    expect(merges).toEqual(plainTraining(2000));
    expect(merges.length).toBeLessThan(2000);
    expect(trainMerges(texts.toReversed(), 71)).toEqual(merges.slice(0, 71));
  });

  it('encodes as a sequence of merges', () => {
    const merges = trainMerges(texts, 330 - 259);
    for (const text of [...texts, 'sold sold clipsss  aaaa 12 x', 'ß → 漢字 🎉', '   ', 'mississippi']) {
      expect([...bpe.encode(text)].map((id) => id - 3)).toEqual(plain(text, merges));
    }
  });

  it('encodes the text of a special token as ordinary text', () => {
    const text = `a${specialNames.end}b${specialNames.begin}`;
    expect([...bpe.encode(text)].some((id) => id < 3)).toBe(false);
    expect(bpe.decode(bpe.encode(text))).toBe(text);
  });

  it('splits every number into single digits', () => {
    expect(bpe.encode('2024').length).toBe(4);
  });

  it('rejects vocabularies without room for all bytes, and files of other tokenizers', () => {
    expect(() => trainBpe(texts, 100)).toThrow(/at least 259/);
    const good = JSON.parse(JSON.stringify(bpe.toJson())) as { model: { vocab: Record<string, number> } };
    delete good.model.vocab['<|end|>'];
    expect(() => bpeTokenizer(good, 'x/tokenizer.json')).toThrow(/ids are not 0 up to/);
    expect(() => bpeTokenizer({ model: { type: 'Unigram' } })).toThrow(/not a byte-level BPE/);
  });
});

describe('loading', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-text-'));
  afterAll(() => rm(folder, { recursive: true }));

  it('reports a missing or broken file', async () => {
    await expect(loadTokenizer(join(folder, 'absent'))).rejects.toMatchObject({
      kind: 'not-found',
      where: join(folder, 'absent', 'tokenizer.json'),
    });
    await writeFile(join(folder, 'tokenizer.json'), '{"type": "whetstone-');
    await expect(loadTokenizer(folder)).rejects.toMatchObject({
      kind: 'invalid-input',
      where: join(folder, 'tokenizer.json'),
    });
    await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(bpe.toJson()));
    expect((await loadTokenizer(folder)).encode(texts[0])).toEqual(bpe.encode(texts[0]));
  });
});
