/** Pairs with known preferences, for a simulated labeler. */
import { fitHead, judged } from '../../../engine/labeling/index.ts';
import { stream, type RandomStream } from '../../../engine/random/random.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import type { PairFeatures } from './pair-features.ts';

export interface KnownPairs {
  readonly data: string;
  /** P × width: features of answer a minus those of answer b. */
  readonly differences: Float64Array;
  readonly width: number;
  /** P: whether a is truly preferred. */
  readonly prefersA: readonly boolean[];
}

const HASHED = 48;
const PAIRS = 1000;

const words = ['so', 'thus', 'now', 'well', 'then'];

/** A worked answer with up to three edits: a changed digit, a line dropped or repeated, a word added. */
const edited = (answer: string, draw: RandomStream): string => {
  let lines = answer.split('\n');
  for (let edit = draw.int(4); edit > 0; edit--) {
    const at = draw.int(lines.length);
    const kind = draw.int(4);
    if (kind === 0) lines[at] = lines[at].replace(/\d/, String(draw.int(10)));
    if (kind === 1 && lines.length > 1) lines = lines.filter((_, line) => line !== at);
    if (kind === 2) lines.splice(at, 0, lines[at]);
    if (kind === 3) lines[at] = `${draw.pick(words)} ${lines[at]}`;
  }
  return lines.join('\n');
};

/** Lengths and kinds of lines of an answer, then counts of its character trigrams in 48 hashed places. */
const textFeatures = (answer: string): number[] => {
  const lines = answer.split('\n');
  const hold = lines.filter((line) => {
    const sum = /(-?\d+)([+*-])(-?\d+)=(-?\d+)$/.exec(line);
    if (!sum) return false;
    const [x, y] = [Number(sum[1]), Number(sum[3])];
    return { '+': x + y, '-': x - y, '*': x * y }[sum[2]] === Number(sum[4]);
  }).length;
  const trigrams = new Array<number>(HASHED).fill(0);
  for (let at = 0; at + 3 <= answer.length; at++) {
    let hash = 0;
    for (let i = 0; i < 3; i++) hash = (Math.imul(hash, 31) + answer.charCodeAt(at + i)) >>> 0;
    trigrams[hash % HASHED]++;
  }
  const count = (pattern: RegExp) => answer.match(pattern)?.length ?? 0;
  const repeated = lines.length - new Set(lines).size;
  return [
    answer.length,
    lines.length,
    hold,
    hold / lines.length,
    repeated,
    count(/\d/g),
    count(/[a-z]/g),
    ...trigrams,
  ];
};

/**
 * Edited answers to problems of the world arithmetic. The labeler likes right answers, then steps that hold,
 * and dislikes lines and repetition: no linear function of the features.
 */
export const arithmeticPairs = (): KnownPairs => {
  const world = openWorldById('arithmetic');
  const draw = stream(7, 'edited answers');
  const rows: number[] = [];
  const prefersA: boolean[] = [];
  let width = 0;
  for (let index = 0; prefersA.length < PAIRS; index++) {
    const { prompt, answer, reference, promptId } = world.demonstration(index, 11);
    const problem = { prompt, reference, promptId, level: 1, meta: {} };
    const made = [edited(answer, draw), edited(answer, draw)].map((text) => {
      const features = textFeatures(text);
      const last = /#(-?\d+)$/.exec(text)?.[1];
      const value =
        2 * Number(last === problem.reference) + features[3] - 0.1 * features[1] - 0.7 * features[4];
      return { features, value };
    });
    const [a, b] = made;
    if (a.value === b.value) continue;
    width = a.features.length;
    rows.push(...a.features.map((x, f) => x - b.features[f]));
    prefersA.push(a.value > b.value);
  }
  return { data: 'arithmetic', differences: Float64Array.from(rows), width, prefersA };
};

/** Dimensions that a model's features are projected to, so that a thousand fits take minutes. */
const PROJECTED = 96;

/** Differences of a model's features of the pairs, sides drawn by a coin, projected at random (Achlioptas 2003). */
const projectedPairs = ({ values, width }: PairFeatures, data: string): KnownPairs => {
  const draw = stream(3, 'sides and projection');
  const signs = Float64Array.from({ length: width * PROJECTED }, () => (draw.next() < 0.5 ? -1 : 1));
  const pairs = values.length / width / 2;
  const differences = new Float64Array(pairs * PROJECTED);
  const prefersA = Array.from({ length: pairs }, () => draw.next() < 0.5);
  for (let p = 0; p < pairs; p++)
    for (let f = 0; f < width; f++) {
      const chosenMinusOther = values[2 * p * width + f] - values[(2 * p + 1) * width + f];
      const difference = (prefersA[p] ? chosenMinusOther : -chosenMinusOther) / Math.sqrt(PROJECTED);
      for (let d = 0; d < PROJECTED; d++)
        differences[p * PROJECTED + d] += difference * signs[f * PROJECTED + d];
    }
  return { data, differences, width: PROJECTED, prefersA };
};

/**
 * Pairs of HH with a model's features: labeled as people did, and by a known judge, the head that fits
 * people's labels of all pairs best.
 */
export const transcriptPairs = async (features: PairFeatures): Promise<KnownPairs[]> => {
  const people = projectedPairs(features, 'hh-harmless, people');
  const head = await fitHead(
    {
      ...people,
      targets: Float64Array.from(people.prefersA, Number),
      prompts: people.prefersA.map((_, p) => `${p}`),
    },
    { heads: 0 },
  );
  const { probabilities } = judged(head, people.differences);
  return [
    { ...people, data: 'hh-harmless, known judge', prefersA: Array.from(probabilities, (p) => p > 0.5) },
    people,
  ];
};
