import { modelOptions, withModel } from './model-option.ts';
import { numbers, type Command } from './command.ts';

const shownTokens = 10;

/** Formats the likeliest tokens of one position. */
const shown = (logits: readonly number[]): string =>
  logits
    .map((value, token) => ({ token, value }))
    .sort((a, b) => b.value - a.value)
    .slice(0, shownTokens)
    .map(({ token, value }) => `${token}: ${value.toFixed(4)}`)
    .join('  ');

export const logitsCommand: Command = {
  name: 'logits',
  usage: '--model DIR --tokens 1,2,3 [--all] [--workspace DIR]',
  summary:
    'Logits of the next token after the given tokens, or after every one of them. A model is a ' +
    'folder, or one of the workspace.',
  example: '--model gpt2 --tokens 464,3139,286 --json',
  positionals: { least: 0, most: 0 },
  options: { ...modelOptions, tokens: { type: 'string' }, all: { type: 'boolean' } },
  async run({ values }) {
    const tokens = numbers(values, 'tokens', { least: 0, most: 0x7fff_ffff });
    return withModel(values, async ({ services, ...model }) => {
      const rows = await services.engine.call('logits', { ...model, tokens, all: values.all === true });
      return { value: values.all === true ? rows : rows[0], text: rows.map(shown).join('\n') };
    });
  },
};
