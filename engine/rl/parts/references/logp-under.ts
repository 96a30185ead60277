import type { Columns, ModelPort } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';

/** Log-probability of the rows' tokens under another model: a snapshot of this role, or another role. */
export const logpUnder = <const M extends string>(model: M) =>
  stage({
    id: `logpUnder(${model})`,
    station: 'reference',
    needs: ['tokens', 'mask', `model/${model}`],
    adds: [`logp/${model}`],
    run: async (inputs) => {
      const { tokens, mask, ...models } = inputs as Pick<Columns, 'tokens' | 'mask'> &
        Record<string, ModelPort>;
      return { columns: { [`logp/${model}`]: await models[`model/${model}`].logp(tokens, mask) } as never };
    },
  });

/** Mean log-probability over the vocabulary at each token's position, under a model's current parameters. */
export const meanLogpUnder = <const M extends string>(model: M) =>
  stage({
    id: `meanLogpUnder(${model})`,
    station: 'reference',
    needs: ['tokens', 'mask', `model/${model}`],
    adds: [`mean-logp/${model}`],
    run: async (inputs) => {
      const { tokens, mask, ...models } = inputs as Pick<Columns, 'tokens' | 'mask'> &
        Record<string, Pick<ModelPort, 'meanLogp'>>;
      return {
        columns: { [`mean-logp/${model}`]: await models[`model/${model}`].meanLogp(tokens, mask) } as never,
      };
    },
  });
