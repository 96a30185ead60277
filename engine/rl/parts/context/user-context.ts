import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { splitUser } from '../math/user-texts.ts';

/** R. Standard normal numbers of a pair, one for each dimension of the latent. */
export const noiseNames = (latents: number): `row/noise-${number}`[] =>
  Array.from({ length: latents }, (_, k) => `row/noise-${k}` as const);

/**
 * Three rows for each pair: the user's part of the prompt, then the question with either answer (chosen first).
 * A user's part that is too long loses its beginning.
 */
export const userContext = ({
  separator,
  latents,
}: {
  readonly separator: string;
  readonly latents: number;
}) =>
  stage({
    id: `userContext(${separator}, ${latents})`,
    station: 'context',
    needs: ['tokens', 'mask', 'problem'],
    adds: ['tokens', 'mask', ...noiseNames(latents)],
    run: async ({ tokens, mask, problem }, { text, random }) => {
      const from = problem.flatMap((_, r) => (r % 2 === 0 ? [r, r] : [r]));
      const made = from.map((r, at) => {
        const { user, question } = splitUser(problem[r].prompt, separator);
        if (at % 3 === 0) {
          const own = [...text.prompt(user), text.end].slice(-text.context);
          return { tokens: own, mask: own.map(() => 1) };
        }
        const start = Math.max(0, rowOf(mask, r).indexOf(1));
        const head = text.prompt(question);
        return {
          tokens: [...head, ...rowOf(tokens, r).subarray(start)].slice(0, text.context),
          mask: [...head.map(() => 0), ...rowOf(mask, r).subarray(start)].slice(0, text.context),
        };
      });
      const draw = random('latents of users');
      const noise = noiseNames(latents).map((name) => {
        const values = Float64Array.from({ length: from.length / 3 }, () => draw.normal());
        return [name, Float64Array.from(from, (_, at) => values[Math.floor(at / 3)])] as const;
      });
      return {
        columns: {
          ...(Object.fromEntries(noise) as { [name: `row/noise-${number}`]: Float64Array }),
          tokens: ragged(made, Int32Array, (row) => row.tokens),
          mask: ragged(made, Uint8Array, (row) => row.mask),
        },
        from_R: Uint32Array.from(from),
      };
    },
  });
