import { stage } from '../../kernel/stage.ts';

/** Keeps at most `perProblem` × the batch's problems of the rows, drawn alike without replacement. */
export const drawnRows = ({ perProblem }: { readonly perProblem: number }) =>
  stage({
    id: `drawnRows(${perProblem})`,
    station: 'selection',
    needs: ['weight'],
    adds: [],
    run: async ({ weight }, { batch, random }) => {
      const draw = random('drawn rows');
      const left = [...weight.keys()];
      const count = Math.min(left.length, perProblem * batch);
      const rows = Array.from({ length: count }, () => left.splice(draw.int(left.length), 1)[0]);
      return { columns: {}, from_R: Uint32Array.from(rows.sort((a, b) => a - b)) };
    },
  });
