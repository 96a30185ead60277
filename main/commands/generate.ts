import { WhetstoneError } from '../../engine/common/errors.ts';
import { decodingFrom, decodingOptions } from './decoding-options.ts';
import { modelOptions, withModel } from './model-option.ts';
import { number, text, type Command } from './command.ts';

export const generateCommand: Command = {
  name: 'generate',
  usage:
    'PROMPT… (--model DIR [--chat] | --checkpoint ID) [--workspace DIR] [--prompt TEXT]… [--samples N] ' +
    '[--temperature T] [--max-tokens N] [--seed N] [--world ID] [--top-k N] [--top-p SHARE] [--min-p SHARE] ' +
    '[--pattern TEXT | --json-schema TEXT] [--guide DIR [--guide-weight T] [--guide-how mix|add|cap]] ' +
    '[--steer-toward TEXT… --steer-away TEXT… [--steer-layer N] [--steer-strength T]] ' +
    '[--draft DIR [--branching N,N,…]]',
  summary:
    'Answer prompts with a model folder, a model of the workspace, or a checkpoint. --chat puts each ' +
    'prompt into the model’s chat template; temperature 0 is greedy. --world: the prompts are problems of ' +
    'that world; several turns are played if it has them, and its verifier scores the answers. ' +
    '--pattern and --json-schema hold every answer to a regular expression or a JSON Schema; --guide mixes ' +
    'in, or adds, the log-probabilities of a second model with the same tokenizer, or caps tokens by it; ' +
    '--steer-toward and --steer-away add the direction between two kinds of texts to the hidden states; --draft ' +
    'has a smaller model draft trees of tokens, which changes no probability.',
  example: "'The capital of France is' --model gpt2 --samples 4 --temperature 0.7",
  positionals: { least: 0, most: 256 },
  options: {
    ...modelOptions,
    prompt: { type: 'string', multiple: true },
    chat: { type: 'boolean' },
    samples: { type: 'string' },
    temperature: { type: 'string' },
    'max-tokens': { type: 'string' },
    seed: { type: 'string' },
    world: { type: 'string' },
    ...decodingOptions,
  },
  async run({ positionals, values }) {
    const prompts = [...positionals, ...[values.prompt ?? []].flat().map(String)];
    if (prompts.length === 0)
      throw new WhetstoneError('invalid-input', 'There is no prompt.', { where: '--prompt' });
    const request = {
      prompts,
      samples: number(values, 'samples', { fallback: 1, least: 1, most: 1024, whole: true }),
      temperature: number(values, 'temperature', { fallback: 1, least: 0, most: 5 }),
      maxTokens: number(values, 'max-tokens', { fallback: 64, least: 1, most: 8192, whole: true }),
      seed: number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true }),
      ...decodingFrom(values),
      ...(values.world !== undefined && { world: { id: text(values, 'world'), params: {} } }),
      // a checkpoint stores its run's prompt format
      ...(values.chat === true
        ? { putPrompts: 'chat' as const }
        : values.model !== undefined && { putPrompts: 'plain' as const }),
    };
    return withModel(values, async ({ services, folder, base }) => {
      const value = await services.engine.call('generate', {
        ...request,
        checkpoint: folder,
        ...(base && { base }),
      });
      return {
        value,
        text: value
          .map(
            (a) =>
              `${a.prompt}${a.completion}  (log-probability ` +
              `${a.logp.toFixed(2)}${a.verdict ? `; ${a.verdict.reason}, reward ${a.verdict.reward}` : ''})`,
          )
          .join('\n'),
      };
    });
  },
};
