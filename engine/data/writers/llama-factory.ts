import type { Message } from '../shapes/messages.ts';
import { jsonArray } from './encodings/json.ts';
import { promptMessages } from './prompt-messages.ts';
import { decided, referenceColumn } from './ranked.ts';
import type { RecordOf, Writer } from './writer.ts';

const common = {
  extension: '.json',
  encoding: jsonArray,
  cannotHold: 'Who wrote each answer is left out; dataset_info.json needs an entry with "ranking": true.',
};

const splitSystem = (
  messages: readonly Message[],
): { readonly system: RecordOf; readonly turns: readonly Message[] } =>
  messages[0].role === 'system' && messages.length > 1
    ? { system: { system: messages[0].content }, turns: messages.slice(1) }
    : { system: {}, turns: messages };

/** Instruction and history; null if user and assistant do not alternate. */
const instructed = (prompt: string): RecordOf | null => {
  const messages = promptMessages(prompt);
  const { system, turns } = splitSystem(messages);
  const isAlternating = turns.every(({ role }, i) => role === (i % 2 === 0 ? 'user' : 'assistant'));
  const last = turns.at(-1);
  if (!isAlternating || last?.role !== 'user' || last.content.trim() === '') return null;
  const history = Array.from({ length: (turns.length - 1) / 2 }, (_none, i) => [
    turns[2 * i].content,
    turns[2 * i + 1].content,
  ]);
  return { instruction: last.content, input: '', ...(messages.length > 1 && { ...system, history }) };
};

/** LLaMA-Factory's alpaca format for preferences. */
export const llamaFactoryAlpaca: Writer = {
  ...common,
  id: 'llama-factory-alpaca',
  title: 'LLaMA-Factory, alpaca ranking',
  fromPair: decided(({ prompt, chosen, rejected, reference, about }) => ({
    ...(instructed(prompt) ?? { instruction: prompt, input: '' }),
    chosen,
    rejected,
    ...referenceColumn(reference),
    ...about,
  })),
};

const speakers: { readonly [role: string]: string } = {
  user: 'human',
  assistant: 'gpt',
  tool: 'observation',
};

/** LLaMA-Factory's sharegpt format for preferences. */
export const llamaFactoryShareGpt: Writer = {
  ...common,
  id: 'llama-factory-sharegpt',
  title: 'LLaMA-Factory, sharegpt ranking',
  fromPair: decided(({ prompt, chosen, rejected, reference, about }) => {
    const { system, turns } = splitSystem(promptMessages(prompt));
    return {
      conversations: turns.map(({ role, content }) => ({ from: speakers[role] ?? role, value: content })),
      ...system,
      chosen: { from: 'gpt', value: chosen },
      rejected: { from: 'gpt', value: rejected },
      ...referenceColumn(reference),
      ...about,
    };
  }),
};
