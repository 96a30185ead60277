/** A record of a file of marked answers. */
export interface PlantedRecord {
  readonly prompt: string;
  readonly completion: string;
  readonly label: boolean;
  readonly split?: string;
}

const subjects = [
  'rivers',
  'metals',
  'planets',
  'cheese',
  'bridges',
  'glaciers',
  'violins',
  'harbours',
  'mosses',
  'clocks',
];
const verbs = [
  'carry',
  'rust under',
  'circle',
  'ripen near',
  'span',
  'carve',
  'echo through',
  'shelter',
  'cover',
  'measure',
];
const ends = [
  'old stones',
  'cold lakes',
  'narrow valleys',
  'quiet markets',
  'distant shores',
  'heavy clouds',
  'bright lamps',
];

/** A sentence that shares few word triples with another number's. */
const sentence = (n: number): string =>
  `${subjects[n % 10]} number ${n} ${verbs[(n * 7) % 10]} ${ends[(n * 3) % 7]} while ${subjects[(n * 11) % 10]} ${n + 400} ` +
  `${verbs[(n * 13) % 10]} some ${ends[(n * 5) % 7]} of kind ${n * 3 + 1}`;

/** Rows with one fault each, by the finding that must name exactly them, in the order of the file. */
export const planted = {
  'exact-duplicates': [60, 61],
  'near-duplicates': [62, 63],
  'contradictory-marks': [64, 65],
  'personal-data': [66, 67],
  leaks: [68],
} as const;

/**
 * 71 rows: 60 without a fault, with a right and a wrong answer to each of 30 prompts, then the planted ones.
 * Equal answers with different marks are exact duplicates and an identical pair as well.
 */
export const plantedRecords: readonly PlantedRecord[] = [
  ...Array.from({ length: 60 }, (_none, i) => ({
    prompt: `What do ${sentence(i >> 1)} do?`,
    completion:
      i % 2 === 0 ? `They answer: ${sentence(100 + i)}, and more of it.` : `No: ${sentence(200 + i)}.`,
    label: i % 2 === 0,
    split: 'train',
  })),
  { prompt: 'Say it again?', completion: sentence(300), label: true, split: 'train' },
  { prompt: 'Say it again?', completion: `${sentence(300)} `, label: true, split: 'train' },
  {
    prompt: 'Almost the same, is it?',
    completion: `${sentence(310)} and ${sentence(311)} today`,
    label: true,
    split: 'train',
  },
  {
    prompt: 'Almost the same, is it?',
    completion: `${sentence(310)} and ${sentence(311)} tonight`,
    label: true,
    split: 'train',
  },
  { prompt: 'Is this right or wrong?', completion: sentence(320), label: true, split: 'train' },
  { prompt: 'Is this right or wrong?', completion: sentence(320), label: false, split: 'train' },
  {
    prompt: 'How can I reach you there?',
    completion: 'Write to ann.lee@mail-box.org, or call.',
    label: true,
    split: 'train',
  },
  {
    prompt: 'Where is bob@firm.net these days?',
    completion: `In ${sentence(330)}.`,
    label: true,
    split: 'train',
  },
  { prompt: `Who knows ${sentence(340)}?`, completion: sentence(341), label: true, split: 'train' },
  { prompt: `Who knows ${sentence(340)}?`, completion: sentence(342), label: true, split: 'test' },
  { prompt: `Which ${sentence(350)} is it?`, completion: sentence(351), label: true, split: 'test' },
];

/** The file as JSON lines. */
export const plantedFile: string = plantedRecords.map((record) => JSON.stringify(record)).join('\n');
