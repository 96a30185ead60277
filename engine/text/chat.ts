/** Encodes conversations, with the role of each token, which decides what the loss is taken on. */
import { WhetstoneError } from '../common/errors.ts';
import type { Message } from './chat-template.ts';
import type { Span } from './spans.ts';
import type { Tokenizer } from './tokenizer.ts';

export interface Conversation {
  readonly tokens: Int32Array;
  readonly spans: readonly Span[];
}

/** A part of the rendered text and its author. */
interface Part {
  readonly text: string;
  readonly role: string;
  readonly written: boolean;
}

/**
 * Encodes a conversation in the model's own template. Spans carry the role of each message. For the roles in
 * `train`, the text after the template's turn header (for roles other than the assistant: the message
 * itself) is trainable, up to and including its end token; nothing else is. Turns are found by rendering the
 * conversation message by message, and each part is encoded by itself, as in sampling. Throws `unsupported`
 * for a model without a template, or for a template that renders earlier messages differently once later
 * ones follow.
 */
export const encodeConversation = (
  tokenizer: Tokenizer,
  messages: readonly Message[],
  train: readonly string[] = ['assistant'],
): Conversation => {
  const pieces: Int32Array[] = [];
  const spans: Span[] = [];
  let at = 0;
  const push = (tokens: Int32Array, role: string, trainable: boolean) => {
    if (tokens.length === 0) return;
    pieces.push(tokens);
    spans.push([at, (at += tokens.length), role, trainable]);
  };
  for (const { text, role, written } of partsOf(tokenizer, messages, train)) {
    const tokens = encode(tokenizer, text);
    const ended = written ? tokens.findIndex((id) => tokenizer.ends.includes(id)) + 1 || tokens.length : 0;
    push(tokens.subarray(0, ended), role, true);
    push(tokens.subarray(ended), role, false);
  }
  const tokens = new Int32Array(at);
  pieces.forEach((piece, i) => tokens.set(piece, spans[i][0]));
  return { tokens, spans };
};

const encode = ({ encodeSpecial, encode: plain }: Tokenizer, text: string): Int32Array =>
  (encodeSpecial ?? plain)(text);

const partsOf = ({ template }: Tokenizer, messages: readonly Message[], train: readonly string[]): Part[] => {
  if (!template)
    throw new WhetstoneError('unsupported', 'This model has no chat template.', {
      where: 'messages',
      hint: 'Use prompts and answers.',
    });
  const whole = template.render(messages, { reply: false });
  const parts: Part[] = [];
  let done = 0;
  const upTo = (text: string, role: string, written: boolean) => {
    if (!whole.startsWith(text) || text.length < done)
      throw new WhetstoneError(
        'unsupported',
        `The chat template changes the text before message ${parts.length + 1} when later messages ` +
          'follow, so its trained tokens are ambiguous.',
        { where: 'messages', hint: 'Train on shorter conversations, or on prompts and answers.' },
      );
    if (text.length > done) parts.push({ text: whole.slice(done, text.length), role, written });
    done = text.length;
  };
  messages.forEach(({ role, content }, m) => {
    if (!train.includes(role)) return;
    // text before the turn belongs to the messages before it; the turn header is never trained
    for (let before = 0; before < m; before++)
      closeTurn(template, messages, before, whole, done, (text) => upTo(text, messages[before].role, false));
    const turn = template.render(messages.slice(0, m + 1), { reply: false });
    // the template defines the header of an assistant's turn; for other roles it is the text before the
    // message
    upTo(
      role === 'assistant'
        ? template.render(messages.slice(0, m), { reply: true })
        : turn.slice(0, beginOf(turn, content, done, m)),
      role,
      false,
    );
    upTo(turn, role, true);
  });
  upTo(whole, messages.at(-1)?.role ?? 'system', false);
  return parts;
};

const beginOf = (turn: string, content: string, from: number, m: number): number => {
  const found = turn.indexOf(content.trim(), from);
  if (found < 0)
    throw new WhetstoneError(
      'unsupported',
      `The chat template does not render message ${m + 1} verbatim, so its trained tokens are ` +
        'ambiguous.',
      { where: 'messages', hint: 'Train on the assistant’s messages alone.' },
    );
  return found;
};

/**
 * Ends an untrained message, if the template renders the conversation up to there as a prefix of the whole.
 */
const closeTurn = (
  template: NonNullable<Tokenizer['template']>,
  messages: readonly Message[],
  m: number,
  whole: string,
  done: number,
  close: (text: string) => void,
): void => {
  let text: string;
  try {
    text = template.render(messages.slice(0, m + 1), { reply: false });
  } catch (error) {
    // A template may refuse a conversation that ends here (a system message alone); its text then joins the
    // next part.
    if (error instanceof WhetstoneError && error.kind !== 'unsupported') return;
    throw error;
  }
  if (text.length > done && whole.startsWith(text)) close(text);
};
