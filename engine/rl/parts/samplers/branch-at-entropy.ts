import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { Forest, forestColumns } from '../math/forest.ts';

/**
 * Groups of `groupSize` answers, each continued `branches` times more from one of its `candidates` tokens of
 * highest entropy, drawn evenly: the tokens before it are given, it and those behind it are sampled anew
 * (CURE, arXiv:2508.11016, stage 1). From `until` on (a share of the run), groups of as many whole answers
 * (stage 2). All answers to a prompt are one group.
 */
export const branchAtEntropy = ({
  groupSize,
  branches,
  candidates,
  until,
}: {
  readonly groupSize: number;
  readonly branches: number;
  readonly candidates: number;
  readonly until: number;
}) =>
  stage({
    id: `branchAtEntropy(${groupSize}, ${branches}, ${candidates}, ${until})`,
    station: 'sampler',
    continues: true,
    needs: ['problem', 'prompt', 'model/policy'],
    adds: forestColumns,
    run: async ({ problem, prompt, 'model/policy': policy }, context) => {
      const forest = new Forest({ problem, prompt }, context);
      const isBranching = context.progress < until;
      const each = isBranching ? groupSize : groupSize * (1 + branches);
      const trunks = await forest.grow(
        problem.flatMap((_, place) => Array.from({ length: each }, () => ({ place }))),
      );
      if (isBranching) {
        const { columns, order } = forest.change();
        const entropy = await policy.entropy(columns.tokens, columns.mask);
        const random = context.random('critical tokens');
        const rowOfNumber = new Map(order.map((number, r) => [number, r]));
        const starts = trunks.flatMap((from) => {
          const { place, answer, given } = forest.answers[from];
          const r = rowOfNumber.get(from) ?? 0;
          const uncertain = rowOf(entropy, r).slice(-answer.length);
          const places = Array.from({ length: answer.length - given }, (_, at) => given + at)
            .sort((a, b) => uncertain[b] - uncertain[a] || a - b)
            .slice(0, candidates);
          const kept = places[random.int(places.length)];
          return Array.from({ length: branches }, () => ({ place, from, kept }));
        });
        await forest.grow(starts);
      }
      const { columns, from_R } = forest.change();
      return { columns, from_R };
    },
  });
