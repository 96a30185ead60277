import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writers, type ExportItem, type PairItem } from '../../../engine/data/index.ts';
import { promptMessages } from '../../../engine/data/writers/prompt-messages.ts';
import type { RowItem } from '../../../engine/data/writers/writer.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { readAll } from '../../support/read-dataset.ts';
import { writtenFile } from '../../support/written.ts';

const awkward = fc.constantFrom(
  'a "b", c',
  'two\r\nlines',
  ' blanks ',
  'ünïcödé 👩‍👩‍👧 中文',
  "'; drop",
  '\ttab',
  '# x',
  '{"json": [1]}',
  '0012',
  'true',
  'user: hi',
  'Q: x\nA: y',
  'x'.repeat(20_000),
);
const text = fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), awkward);
/** A text that is not blank. */
const said = text.filter((each) => each.trim() !== '' && !each.includes('\u0000'));
const optional = fc.option(said, { nil: null });
const messages = fc
  .array(fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: text }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((turns) => turns.map(({ role, content }) => ({ role, content: content.replaceAll('\u0000', '') })));

const keys = fc.stringMatching(/^[a-z]{1,4}$/);
const value = fc.oneof(
  said,
  fc.integer(),
  fc.boolean(),
  fc.array(said, { maxLength: 2 }),
  fc.dictionary(keys, said),
);
const rowsOf = (extra: fc.Arbitrary<unknown>) =>
  fc
    .array(
      fc.record({
        prompt: said,
        answer: fc.oneof(said, fc.constant('')),
        reference: optional,
        correct: fc.option(fc.boolean(), { nil: null }),
        source: fc.oneof(said, fc.constant('')),
        messages: fc.option(messages, { nil: undefined }),
        extra: fc.option(fc.dictionary(keys, extra, { minKeys: 1, maxKeys: 3 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((rows) => rows.map((row, i): RowItem => ({ row: i, line: i + 1, ...row })));

/** The fields of a row that are present. */
const saying = ({ prompt, answer, reference, correct, source, messages: turns, extra }: RowItem) => ({
  prompt,
  answer,
  reference,
  correct,
  source,
  ...(turns && { messages: turns }),
  ...(extra && Object.keys(extra).length > 0 && { extra }),
});

describe('rows read back as they were written', () => {
  const roundTrip = async (
    folder: string,
    id: string,
    rows: readonly RowItem[],
  ): Promise<readonly RowItem[]> => {
    const items = rows.map((row): ExportItem => ({ row }));
    const { path, tally } = await writtenFile(id, items, folder);
    expect([tally.records, tally.leftOut.size]).toEqual([rows.length, 0]);
    return (await readAll(path)).rows;
  };

  test.each(['jsonl', 'jsonl-gz', 'parquet'])('%s, with values of all kinds', async (id) => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(rowsOf(value), async (rows) => {
        expect((await roundTrip(folder, id, rows)).map(saying)).toEqual(rows.map(saying));
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  test('csv, with other columns of text', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(rowsOf(said), async (rows) => {
        expect((await roundTrip(folder, 'csv', rows)).map(saying)).toEqual(rows.map(saying));
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  test('a table leaves out what it cannot hold, and says so', async () => {
    const row: RowItem = {
      row: 0,
      line: 1,
      prompt: 'p',
      answer: 'a',
      reference: null,
      correct: null,
      source: '',
    };
    const items = [{ row }, { row: { ...row, answer: '\uD800' } }, { row: { ...row, answer: 'a\u0000b' } }];
    const { tally } = await writtenFile('csv', items);
    expect([tally.records, Object.fromEntries(tally.leftOut)]).toEqual([
      1,
      { 'records with halves of characters': 1, 'records with a zero byte': 1 },
    ]);
  });

  test('stepwise: steps and their marks, up to the first step without one', async () => {
    const row = {
      row: 0,
      line: 1,
      prompt: 'p',
      answer: 's\nt\nu',
      reference: null,
      correct: false,
      source: '',
    };
    const extra = { steps: ['s', 't', 'u'], stepLabels: [true, false, null] };
    const { path, tally } = await writtenFile('trl-stepwise', [{ row: { ...row, extra } }, { row }]);
    expect(Object.fromEntries(tally.leftOut)).toEqual({ 'rows without marked steps': 1 });
    const { rows } = await readAll(path);
    expect(rows[0]).toMatchObject({
      answer: 's\nt',
      correct: false,
      extra: { steps: ['s', 't'], stepLabels: [true, false] },
    });
  });

  test('stepwise: not the steps of an answer that was edited since', async () => {
    const row = { row: 0, line: 1, prompt: 'p', reference: null, correct: true, source: '' };
    const extra = { steps: ['s', 't'], stepLabels: [true, true] };
    const rows = ['s\nt', 's\n\nt', 's\nx'].map((answer) => ({ row: { ...row, answer, extra } }));
    const { tally } = await writtenFile('trl-stepwise', rows);
    expect(tally.records).toBe(2);
    expect(Object.fromEntries(tally.leftOut)).toEqual({
      'rows whose answer was edited apart from its steps': 1,
    });
  });
});

describe('pairs read back as they were written', () => {
  const pair = fc
    .record({
      prompt: said,
      a: said,
      b: said,
      verdict: fc.constantFrom('a' as const, 'b' as const),
      reference: optional,
    })
    .filter(({ a, b }) => a !== b);
  const pairs = fc.array(pair, { minLength: 1, maxLength: 6 }).map((all) =>
    all.map((each, i): PairItem => ({
      ...each,
      pairId: `pair-${i}`,
      promptId: `prompt-${i}`,
      correctA: null,
      correctB: null,
      about: { labeler: 'me', rationale: `because ${i}` },
    })),
  );
  const preferred = ({ prompt, a, b, verdict }: PairItem) => [
    prompt,
    verdict === 'a' ? a : b,
    verdict === 'a' ? b : a,
  ];

  const formats = writers.filter(({ fromPair, id }) => fromPair && !['trl-unpaired', 'hh-rlhf'].includes(id));
  test.each(formats.map(({ id }) => id))('%s', async (id) => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(pairs, async (all) => {
        const { path } = await writtenFile(
          id,
          all.map((each) => ({ pair: each })),
          folder,
        );
        const { rows } = await readAll(path, { keepGoodLines: false });
        const read = all.map((_each, i) => {
          const [first, second] = rows.slice(2 * i, 2 * i + 2);
          const [chosen, rejected] = first.correct === true ? [first, second] : [second, first];
          expect([chosen.correct, rejected.correct]).toEqual([true, false]);
          return [chosen.prompt, chosen.answer, rejected.answer];
        });
        expect(read).toEqual(all.map(preferred));
        expect(JSON.stringify(rows[0].extra)).toContain('because 0');
      }),
      { numRuns: 40, seed: 11 },
    );
  });

  test('trl-unpaired: each answer with its mark', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(pairs, async (all) => {
        const { path } = await writtenFile(
          'trl-unpaired',
          all.map((each) => ({ pair: each })),
          folder,
        );
        const { rows } = await readAll(path);
        expect(rows.map(({ answer, correct }) => [answer, correct])).toEqual(
          all.flatMap(({ a, b, verdict }) => [
            [a, verdict === 'a'],
            [b, verdict === 'b'],
          ]),
        );
      }),
      { numRuns: 40, seed: 11 },
    );
  });

  test('hh-rlhf: what it holds reads back; pairs with turns inside are left out', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(pairs, async (all) => {
        const { path, tally } = await writtenFile(
          'hh-rlhf',
          all.map((each) => ({ pair: each })),
          folder,
        );
        if (tally.records === 0) return;
        const { rows } = await readAll(path);
        expect(rows.length).toBe(2 * tally.records);
        if (tally.leftOut.size > 0) return;
        const read = all.map((_each, i) => [rows[2 * i].prompt, rows[2 * i].answer, rows[2 * i + 1].answer]);
        const turns = (prompt: unknown) =>
          promptMessages(String(prompt)).map(({ content }) => content.trim());
        expect(read.map(([prompt, ...answers]) => [turns(prompt), ...answers])).toEqual(
          all.map(preferred).map(([prompt, ...answers]) => [turns(prompt), ...answers]),
        );
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  test('ties and skipped pairs are left out with their number', async () => {
    const base = {
      prompt: 'p',
      a: 'x',
      b: 'y',
      promptId: 'i',
      correctA: null,
      correctB: null,
      reference: null,
    };
    const items = (['a', 'tie', 'skip', 'skip', 'both-bad'] as const).map((verdict, i) => ({
      pair: { ...base, verdict, pairId: `${i}`, about: {} },
    }));
    const { tally } = await writtenFile('trl-preference', items);
    expect([tally.records, Object.fromEntries(tally.leftOut)]).toEqual([
      1,
      { ties: 1, 'skipped pairs': 2, 'pairs of two bad answers': 1 },
    ]);
  });
});
