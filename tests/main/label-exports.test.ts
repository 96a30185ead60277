import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenServices } from '../../main/headless/open.ts';
import type { ModeId, OptionChanges } from '../../engine/schema/labeling/index.ts';
import type { FileProgress } from '../../preload/contract/exports.ts';
import type { PairShown } from '../../preload/contract/labels.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

/** A set over prompts with three answers each; answers of a lower number are better. */
async function setForTest(
  mode: ModeId,
  { prompts = 2, options }: { prompts?: number; options?: OptionChanges } = {},
) {
  const bench = await servicesForTest();
  const datasetId = await datasetForTest(bench.services.store, prompts);
  const set = await bench.services.store.labelSets.create({
    name: '',
    from: { kind: 'dataset', datasetId },
    pairsPerPrompt: 3,
    answersPerItem: 3,
    onlyDiffering: false,
    seed: 0,
    mode,
    ...(options && { options }),
  });
  return { bench, setId: set.id };
}

const numberOf = (answer: string): number => Number(answer.split(' ')[1]);

async function decideAll(
  bench: OpenServices,
  setId: string,
  valueOf: (item: PairShown) => unknown,
  labelerOf = (_item: PairShown): string => 'ann',
): Promise<void> {
  for (;;) {
    const items = await bench.services.store.labels.queue(setId, [], 50);
    if (items.length === 0) return;
    for (const item of items)
      await bench.api.labels.decide({
        pairId: item.pairId,
        verdict: 'answered',
        value: valueOf(item),
        labeler: labelerOf(item),
        rationale: 'because',
        seconds: null,
        details: {},
      });
  }
}

/** The records of an export as JSON lines. */
async function exported(bench: OpenServices, id: string, format: string): Promise<Record<string, unknown>[]> {
  const path = join(temporaryFolder(), 'labels.jsonl');
  const input = { from: { kind: 'label-set' as const, id }, format, path };
  const seen: FileProgress[] = [];
  for await (const each of bench.api.exports.write(input, new AbortController().signal)) seen.push(each);
  expect(seen.at(-1)).toMatchObject({ state: 'done' });
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const preferences = (records: readonly Record<string, unknown>[]): string[] =>
  records.map(({ chosen, rejected: worse }) => `${String(chosen)} > ${String(worse)}`).sort();

/** The same, of conversational records. */
const said = (records: readonly Record<string, unknown>[]): string[] =>
  preferences(
    records.map(({ chosen, rejected: worse }) => ({
      chosen: (chosen as { content: string }[])[0].content,
      rejected: (worse as { content: string }[])[0].content,
    })),
  );

/** Every two of the three answers to each prompt. */
const expected = (prompts: number): string[] =>
  Array.from({ length: prompts }, (_none, at) => at * 3)
    .flatMap((first) => [
      `answer ${first} > answer ${first + 1}`,
      `answer ${first} > answer ${first + 2}`,
      `answer ${first + 1} > answer ${first + 2}`,
    ])
    .sort();

const ranksOf = ({ answers }: PairShown): number[] => answers.map((each) => (numberOf(each) % 3) + 1);

describe('an export of labels', () => {
  it('of rankings has a pair for every two ranks, with labeler and time', async () => {
    const { bench, setId } = await setForTest('ranking');
    await decideAll(bench, setId, ranksOf);
    const records = await exported(bench, setId, 'trl-preference');
    expect(preferences(records)).toEqual(expected(2));
    expect(said(await exported(bench, setId, 'trl-conversational'))).toEqual(expected(2));
    for (const record of records)
      expect(record).toMatchObject({
        labeler: 'ann',
        labeledAt: expect.stringMatching(/^\d{4}-/),
        rationale: 'because',
      });
  });

  it('of ratings has the pairs of the answers to one prompt, with both labelers', async () => {
    const { bench, setId } = await setForTest('rating', { options: { attributes: ['help'] } });
    const value = ({ answers: [answer] }: PairShown) => ({ help: 5 - (numberOf(answer) % 3) });
    await decideAll(bench, setId, value, ({ answers: [answer] }) => (numberOf(answer) % 3 ? 'ann' : 'ben'));
    const records = await exported(bench, setId, 'trl-preference');
    expect(preferences(records)).toEqual(expected(2));
    expect(said(await exported(bench, setId, 'trl-conversational'))).toEqual(expected(2));
    const whose = records.map(({ labeler }) => String(labeler).split(', ').sort().join('+'));
    expect(whose.sort()).toEqual(['ann', 'ann', 'ann+ben', 'ann+ben', 'ann+ben', 'ann+ben']);
  });

  it('of rewrites prefers the rewritten answer', async () => {
    const { bench, setId } = await setForTest('rewrite', { prompts: 1 });
    await decideAll(bench, setId, ({ answers: [answer] }) => ({ text: `${answer}, better` }));
    const pairs = [0, 1, 2].map((at) => `answer ${at}, better > answer ${at}`);
    const records = await exported(bench, setId, 'trl-preference');
    expect(preferences(records)).toEqual(pairs.slice(0, records.length));
    expect(records.length).toBeGreaterThan(0);
    expect(said(await exported(bench, setId, 'trl-conversational'))).toEqual(preferences(records));
  });

  it.each(['ranking', 'rating'] as const)(
    'of more %ss than a page holds has each pair once',
    async (mode) => {
      const { bench, setId } = await setForTest(mode, { prompts: 350, options: { attributes: ['help'] } });
      await decideAll(bench, setId, (item) =>
        mode === 'ranking' ? ranksOf(item) : { help: 5 - (numberOf(item.answers[0]) % 3) },
      );
      const page = await bench.services.store.exporting.labels(setId, null);
      expect(page.next).not.toBeNull();
      expect(preferences(await exported(bench, setId, 'trl-preference'))).toEqual(expected(350));
    },
  );

  it('of rankings without a preference is refused, with the reason', async () => {
    const { bench, setId } = await setForTest('ranking');
    await decideAll(bench, setId, () => [1, 1, 1]);
    const refused = await rejected(exported(bench, setId, 'trl-preference'));
    expect([refused.kind, refused.message]).toEqual([
      'invalid-input',
      'The decisions of this label set prefer no answer to another.',
    ]);
  });
});
