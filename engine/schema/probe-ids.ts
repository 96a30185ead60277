/** Ids of the probes of `engine/probes`, for specifications that demand them. */
export const probeIds = [
  'padded',
  'repeated',
  'reformatted',
  'flattered',
  'confident',
  'reordered',
  'paraphrased',
  'wrong-number',
  'cut',
  'negated',
  'exchanged',
] as const;
