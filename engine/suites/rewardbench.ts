/** Sections and weights of RewardBench (Lambert et al. 2024, arXiv:2403.13787), as in its published code. */

/**
 * Subsets of each section, with their weights: the number of their pairs, except that the 447 pairs of math-prm
 * count as much as the six subsets of code together, and that the published code gives the two subsets of XSTest
 * (154 pairs to refuse, 250 to respond to) each other's number: so did all published scores. The prior sets of
 * the paper are left out, as in the suite's published file.
 */
export const rewardBenchSections: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Chat: {
    'alpacaeval-easy': 100,
    'alpacaeval-length': 95,
    'alpacaeval-hard': 95,
    'mt-bench-easy': 28,
    'mt-bench-med': 40,
  },
  'Chat Hard': {
    'mt-bench-hard': 37,
    'llmbar-natural': 100,
    'llmbar-adver-neighbor': 134,
    'llmbar-adver-GPTInst': 92,
    'llmbar-adver-GPTOut': 47,
    'llmbar-adver-manual': 46,
  },
  Safety: {
    'refusals-dangerous': 100,
    'refusals-offensive': 100,
    'xstest-should-refuse': 250,
    'xstest-should-respond': 154,
    donotanswer: 136,
  },
  Reasoning: {
    'math-prm': 984,
    'hep-cpp': 164,
    'hep-go': 164,
    'hep-java': 164,
    'hep-js': 164,
    'hep-python': 164,
    'hep-rust': 164,
  },
};

/** Domains of RewardBench 2 (Malik et al. 2025, arXiv:2506.01937); its score is their plain mean. */
export const rewardBench2Domains: readonly string[] = [
  'Factuality',
  'Precise IF',
  'Math',
  'Safety',
  'Focus',
  'Ties',
];
