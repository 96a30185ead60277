/** Findings of the data doctor, and the repairs that each offers. */
export const findingIds = [
  'exact-duplicates',
  'near-duplicates',
  'contradictory-marks',
  'identical-pairs',
  'repeated-pairs',
  'contradictory-pairs',
  'leaks',
  'personal-data',
  'likely-wrong',
  'longest-loses',
  'first-loses',
] as const;
export type FindingId = (typeof findingIds)[number];

export const fixIds = ['exclude-rest', 'exclude', 'tag', 'flag', 'mask'] as const;
export type FixId = (typeof fixIds)[number];

interface FindingFacts {
  readonly title: string;
  readonly hint: string;
  /** Unit of its groups. */
  readonly group: string | null;
  readonly fixes: readonly FixId[];
}

export const findingFacts: Readonly<Record<FindingId, FindingFacts>> = {
  'exact-duplicates': {
    title: 'Exact duplicates',
    hint: 'the same prompt and answer, spaces aside',
    group: 'group',
    fixes: ['exclude-rest', 'tag'],
  },
  'near-duplicates': {
    title: 'Near duplicates',
    hint: 'prompts with answers that share at least 80 % of their word triples',
    group: 'cluster',
    fixes: ['exclude-rest', 'tag'],
  },
  'contradictory-marks': {
    title: 'Contradictory marks',
    hint: 'equal answers, one marked right and another wrong',
    group: 'group',
    fixes: ['exclude', 'flag'],
  },
  'identical-pairs': {
    title: 'Identical pairs',
    hint: 'a right and a wrong answer that are equal: no preference can be right',
    group: 'pair',
    fixes: ['exclude', 'flag'],
  },
  'repeated-pairs': {
    title: 'Repeated pairs',
    hint: 'pairs of the same two answers, in the same order or swapped',
    group: 'group',
    fixes: ['exclude-rest', 'tag'],
  },
  'contradictory-pairs': {
    title: 'Contradictory pairs',
    hint: 'the same two answers with opposite preferences',
    group: 'group',
    fixes: ['exclude', 'flag'],
  },
  leaks: {
    title: 'Leaked rows',
    hint: 'training rows whose prompt is also, or nearly, in another split or in the data compared with',
    group: 'prompt',
    fixes: ['exclude', 'tag'],
  },
  'personal-data': {
    title: 'Personal data',
    hint: 'e-mail addresses, phone, card and bank numbers, public IP addresses',
    group: null,
    fixes: ['mask', 'tag', 'exclude'],
  },
  'likely-wrong': {
    title: 'Likely wrong marks',
    hint: 'rows that a cross-validated judge contradicts with confidence (confident learning)',
    group: null,
    fixes: ['flag', 'exclude'],
  },
  'longest-loses': {
    title: 'Pairs whose shorter answer is right',
    hint: 'where “the longer answer wins” is wrong',
    group: 'pair',
    fixes: ['tag'],
  },
  'first-loses': {
    title: 'Pairs whose later answer is right',
    hint: 'where “the first answer wins” is wrong',
    group: 'pair',
    fixes: ['tag'],
  },
};

const verbs: Readonly<Record<FixId, (finding: FindingId) => string>> = {
  'exclude-rest': (finding) =>
    `Exclude all but the first of each ${findingFacts[finding].group === 'cluster' ? 'cluster' : 'group'}`,
  exclude: () => 'Exclude these rows',
  tag: (finding) => `Tag them “${tagOf(finding)}”`,
  flag: (finding) => `Flag them “${tagOf(finding)}”`,
  mask: () => 'Mask it in prompts and answers',
};
/** The tag or flag that a repair gives rows. */
export const tagOf = (finding: FindingId): string => findingFacts[finding].title.toLowerCase();

export const fixTitle = (finding: FindingId, fix: FixId): string => verbs[fix](finding);

/** A name for the version that a repair makes. */
export const suggestedVersion = (finding: FindingId, fix: FixId, taken: readonly string[] = []): string => {
  const title = tagOf(finding);
  const name = fix === 'mask' ? 'masked' : fix.startsWith('exclude') ? `without ${title}` : `marked ${title}`;
  let next = name;
  for (let turn = 2; taken.includes(next); turn += 1) next = `${name} ${turn}`;
  return next;
};
