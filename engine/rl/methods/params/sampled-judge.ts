/** Parameters of judges that write a judgement, and vote over several of them. */
import * as z from 'zod';

const verdict = z.string().min(1).max(20);

export const sampledJudge = {
  right: verdict.default('+').describe('The end of a judgement that calls an answer right.'),
  wrong: verdict.default('-').describe('The end of a judgement that calls an answer wrong.'),
  tokens: z
    .int()
    .min(1)
    .max(512)
    .default(16)
    .describe('Most tokens of a judgement: its reasons and, last, its verdict.'),
  votes: z.int().min(1).max(64).default(8).describe('Judgements of an answer that vote, when it is used.'),
  vote: z
    .enum(['mean', 'majority'])
    .default('mean')
    .describe('The share of the votes for right, or only which side has more.'),
};

interface SampledJudge {
  readonly right: string;
  readonly wrong: string;
  readonly tokens: number;
  readonly votes: number;
  readonly vote: 'mean' | 'majority';
}

/** How the model of such a method is read. */
export const votesOf = ({ right, wrong, tokens, votes, vote }: SampledJudge) =>
  ({ kind: 'sampled', right, wrong, samples: votes, tokens, how: vote, caution: 1 }) as const;

/** Neither verdict may end the other's judgements. */
export const differ = [
  ({ right, wrong }: Pick<SampledJudge, 'right' | 'wrong'>): boolean => right !== wrong,
  { message: 'must differ from the end of a judgement that calls an answer right', path: ['wrong'] },
] as [(p: Pick<SampledJudge, 'right' | 'wrong'>) => boolean, { message: string; path: string[] }];
