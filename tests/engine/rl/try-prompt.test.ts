import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textsOf, tryPrompt } from '../../../engine/rl/tools/try-prompt.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { bytesTokenizer } from '../../../engine/text/bytes.ts';
import { calls } from '../../../engine/process/calls.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';

describe('trying a prompt', () => {
  it('gives the same answer as generate, token by token, with log-probabilities that add up', async () => {
    const folder = writeModelFolder(join(temporaryFolder(), 'model'), { settings: { vocab_size: 430 } });
    const request = {
      folder,
      hash: 'h',
      prompt: '12 * 3',
      temperature: 0.8,
      maxTokens: 12,
      seed: 3,
      putPrompts: 'plain' as const,
    };
    const device = await openDevice({ id: 'cpu', threads: 1 });
    const tried = await tryPrompt(device, request);
    expect(tried.tokens.length).toBeLessThanOrEqual(12);
    expect(tried.tokens.every(({ logp }) => logp <= 0)).toBe(true);
    expect(await tryPrompt(device, request)).toMatchObject({ tokens: tried.tokens });
    expect((await tryPrompt(device, { ...request, seed: 4 })).tokens).not.toEqual(tried.tokens);
    // greedy answers need no random numbers, so the keys of the draws may differ
    const greedy = await tryPrompt(device, { ...request, temperature: 0 });
    const [whole] = await calls.generate({
      checkpoint: folder,
      prompts: [request.prompt],
      samples: 1,
      temperature: 0,
      maxTokens: 12,
      seed: 0,
      putPrompts: 'plain',
    });
    expect(greedy.tokens.map(({ text }) => text).join('')).toBe(whole.completion);
    expect(greedy.tokens.reduce((sum, { logp }) => sum + logp, 0)).toBeCloseTo(whole.logp, 3);
    const stop = new AbortController();
    stop.abort();
    expect(await rejected(tryPrompt(device, request, stop.signal))).toMatchObject({ kind: 'cancelled' });
  });

  it('assigns a character to the token that completes it', () => {
    const tokenizer = bytesTokenizer();
    expect(textsOf(tokenizer, Int32Array.of(...tokenizer.encode('aé€'), tokenizer.end))).toEqual([
      'a',
      '',
      'é',
      '',
      '',
      '€',
      '',
    ]);
  });
});
