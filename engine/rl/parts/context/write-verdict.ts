/** A verdict in words after an answer: training rows and prompts of generative judges. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { PerToken } from '../../kernel/columns.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/** Prompt and answer in at most `room` tokens, the end token last. */
export const cutTo = (room: number, answer: Int32Array, end: number): Int32Array =>
  answer.length <= room ? answer : Int32Array.of(...answer.subarray(0, room - 1), end);

/**
 * The prompt and answer with its end token, the verdict, the end token; only verdict and last end token are
 * trained. An answer without room for the verdict is cut in its middle.
 */
export const verdictRows = (
  rows: readonly { readonly answer: Int32Array; readonly verdict: string }[],
  tokenizer: { encode(text: string): Int32Array; readonly end: number },
  context: number,
): { tokens: PerToken<Int32Array>; mask: PerToken<Uint8Array> } => {
  const made = rows.map(({ answer, verdict }) => {
    const verdictTokens = [...tokenizer.encode(verdict), tokenizer.end];
    const room = context - verdictTokens.length;
    if (room < 2)
      throw new WhetstoneError(
        'invalid-input',
        `The verdict has ${verdictTokens.length} tokens; the model reads ${context}.`,
        { where: 'method.params', hint: 'Choose shorter verdicts, or a model with a longer context.' },
      );
    const head = [...cutTo(room, answer, tokenizer.end)];
    return {
      tokens: [...head, ...verdictTokens],
      mask: new Uint8Array(head.length + verdictTokens.length).fill(1, head.length),
    };
  });
  return {
    tokens: ragged(made, Int32Array, ({ tokens }) => tokens),
    mask: ragged(made, Uint8Array, ({ mask }) => mask),
  };
};

/**
 * Appends the verdict in words to each answer, and trains on it alone (arXiv:2408.15240, section 3.1: the
 * direct verifier). Rewards from ½ up count as right.
 */
export const writeVerdict = ({ right, wrong }: { readonly right: string; readonly wrong: string }) =>
  stage({
    id: `writeVerdict(${right}, ${wrong})`,
    station: 'context',
    needs: ['tokens', 'mask', 'reward/total'],
    adds: ['tokens', 'mask'],
    run: async ({ tokens, 'reward/total': rewards_R }, { text }) => ({
      columns: verdictRows(
        Array.from(rewards_R, (reward, r) => ({
          answer: rowOf(tokens, r),
          verdict: reward >= 0.5 ? right : wrong,
        })),
        text,
        text.context,
      ),
    }),
  });
