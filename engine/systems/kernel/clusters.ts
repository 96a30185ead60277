import type { SystemCluster } from '../../schema/systems.ts';

/** Systems grouped by the part that they need. */
export const clusters: readonly SystemCluster[] = [
  {
    id: 1,
    title: 'Several roles that write',
    needs: 'A model, sampler and reward for each role, with prompts made of another role’s rows.',
  },
  {
    id: 2,
    title: 'References and teachers',
    needs: 'References that move or come from a teacher, and divergences over the whole vocabulary.',
  },
  {
    id: 3,
    title: 'Attempts and critiques in the context',
    needs: 'Earlier attempts, feedback or the answer in the prompt, with a reward for the gain.',
  },
  {
    id: 4,
    title: 'Start states, branches and trees',
    needs: 'Answers that continue own prefixes or branch, with values backed up the tree.',
  },
  {
    id: 5,
    title: 'Search and votes at test time',
    needs: 'A rule that chooses among several answers, and accuracy over the tokens spent.',
  },
  {
    id: 6,
    title: 'Decoding',
    needs: 'A hook on logits while sampling: a mask, a cap, a second model or a direction.',
  },
  {
    id: 7,
    title: 'Worlds with turns',
    needs: 'Worlds with documents, forms and state, with reward and value for each turn.',
  },
  {
    id: 8,
    title: 'Self-made data, tasks and rounds',
    needs: 'The answers of a run as data of the next one, through operators, round after round.',
  },
  {
    id: 9,
    title: 'Judges and reward models',
    needs: 'Judges that write, are sampled several times, or read a principle, user or criterion.',
  },
  {
    id: 10,
    title: 'Composition of rewards',
    needs: 'Rewards that are multiplied, gated, staged or chosen, each with its own advantage.',
  },
  {
    id: 11,
    title: 'Variants of credit, selection and loss',
    needs: 'Its own term of the loss, normalisation or filter of answers.',
  },
  {
    id: 12,
    title: 'Replay and asynchrony',
    needs: 'Stored rows that are used again by priority, with their staleness bounded and corrected.',
  },
  {
    id: 13,
    title: 'Probes and protocols',
    needs: 'Several evaluations in one run, matrices of runs, and arithmetic on checkpoints.',
  },
  {
    id: 14,
    title: 'Control worlds',
    needs: 'Worlds with numbers as observations, small policies and values for them, and replay.',
  },
];
