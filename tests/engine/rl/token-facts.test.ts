import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { tokenFacts } from '../../../engine/rl/tools/token-facts.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';

describe('tokens of a stored answer under a model', () => {
  const tokens = [12, 40, 3, 200, 7, 7, 91];

  it.each([1, 0.7])(
    'have the log-probability and entropy of its logits, at temperature %d',
    async (temperature) => {
      const folder = writeModelFolder(join(temporaryFolder(), 'model'), { settings: { vocab_size: 430 } });
      const device = await openDevice({ id: 'cpu', threads: 1 });
      const found = await tokenFacts(device, { folder, tokens, promptLength: 3, temperature });
      const logits = await calls.logits({ folder, tokens, all: true });
      expect(found).toHaveLength(4);
      for (const [at, { logp, entropy }] of found.entries()) {
        const row = logits[2 + at].map((logit) => logit / temperature);
        const most = Math.max(...row);
        const normalizer = most + Math.log(row.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
        expect(logp).toBeCloseTo(row[tokens[3 + at]] - normalizer, 4);
        const expected = row.reduce(
          (sum, logit) => sum - Math.exp(logit - normalizer) * (logit - normalizer),
          0,
        );
        expect(entropy).toBeCloseTo(expected, 4);
      }
    },
  );

  it('are none of an empty answer, and refused for tokens that the model does not know', async () => {
    const folder = writeModelFolder(join(temporaryFolder(), 'model'), { settings: { vocab_size: 430 } });
    const device = await openDevice({ id: 'cpu', threads: 1 });
    const facts = (given: number[], promptLength: number) =>
      tokenFacts(device, { folder, tokens: given, promptLength, temperature: 1 });
    expect(await facts(tokens, 7)).toEqual([]);
    expect(await rejected(facts([1, 430], 1))).toMatchObject({ kind: 'invalid-input', where: 'tokens' });
    expect(await rejected(facts(tokens, 0))).toMatchObject({ kind: 'invalid-input', where: 'tokens' });
  });
});
