import { describe, expect, it } from 'vitest';
import { charactersTokenizer } from '../../../engine/text/characters.ts';
import { encodeExample, encodePrompt, joinAnswer, maskOf } from '../../../engine/text/spans.ts';

const tokenizer = charactersTokenizer('0123456789+=');

describe('sequences', () => {
  it('start with the begin token, end with a trained end token, and train only the answer', () => {
    const { tokens, promptLength, spans } = encodeExample(tokenizer, '1+2=', '3');
    expect(tokens[0]).toBe(tokenizer.begin);
    expect(tokens.at(-1)).toBe(tokenizer.end);
    expect(promptLength).toBe(5);
    expect([...maskOf(spans, tokens.length)]).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(tokenizer.decode(tokens.slice(promptLength))).toBe('3');
  });

  it('keep sampled tokens unchanged', () => {
    const prompt = encodePrompt(tokenizer, '1+2=');
    const answer = Int32Array.of(...tokenizer.encode('3'), tokenizer.end);
    expect(joinAnswer(prompt, answer)).toEqual(encodeExample(tokenizer, '1+2=', '3'));
  });

  it('reject spans with a gap or beyond the end', () => {
    expect(() =>
      maskOf(
        [
          [0, 2, 'prompt', false],
          [3, 4, 'answer', true],
        ],
        4,
      ),
    ).toThrow(/does not follow token 2/);
    expect(() => maskOf([[0, 2, 'prompt', false]], 4)).toThrow(/end at token 2/);
    expect(() => maskOf([[0, 5, 'prompt', false]], 4)).toThrow(/does not follow/);
  });
});
