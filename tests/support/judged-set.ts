import type { DatasetRow } from '../../preload/contract/datasets.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import { stream } from '../../engine/random/random.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { noFindings } from './findings.ts';

const words = 'stone water bridge light river garden letter morning copper window paper orange'.split(' ');

/** Words that the planted preference likes, and those that it does not. */
const [liked, disliked] = ['thanks', 'whatever'];

/** A text of random words, with the liked or the disliked word at a random place. */
const textOf = (row: number, isLiked: boolean): string => {
  const draw = stream(7, 'judged set', row);
  const text = Array.from({ length: 6 + draw.int(5) }, () => words[draw.int(words.length)]);
  text.splice(draw.int(text.length), 0, isLiked ? liked : disliked);
  return `${text.join(' ')} ${row}`;
};

/**
 * A label set of so many pairs, one per prompt; in each of them one answer has a liked word, except in the
 * share of `even` ones, whose answers both have it.
 */
export async function judgedSet(store: StoreClient, pairs: number, even = 0): Promise<LabelSet> {
  const datasetId = await store.datasets.stage({ name: 'planted', source: 'test' });
  const rows = Array.from({ length: pairs * 2 }, (_none, row): DatasetRow => {
    const prompt = Math.floor(row / 2);
    return {
      row,
      line: row + 1,
      promptId: `prompt-${prompt}`,
      prompt: `question ${prompt}`,
      answer: textOf(row, row % 2 === 0 || prompt < even * pairs),
      reference: null,
      correct: null,
      source: 'test',
    };
  });
  for (let from = 0; from < rows.length; from += 1000)
    await store.datasets.append(datasetId, rows.slice(from, from + 1000), []);
  await store.datasets.finish(datasetId, { hash: 'hash', doctor: noFindings });
  return await store.labelSets.create({
    name: 'planted',
    from: { kind: 'dataset', datasetId },
    pairsPerPrompt: 1,
    onlyDiffering: false,
    seed: 3,
  });
}

/** The planted preference: for the answer with the liked word, or for the first if both have it. */
export const preferred = (answers: readonly string[]): 'left' | 'right' =>
  answers[1].includes(liked) && !answers[0].includes(liked) ? 'right' : 'left';
export const isEven = (answers: readonly string[]): boolean => answers.every((each) => each.includes(liked));
