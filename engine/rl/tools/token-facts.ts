/** Log-probability and entropy of each token of a stored answer, under a model other than its sampler. */
import { WhetstoneError } from '../../common/errors.ts';
import { openModelFolder } from '../../models/checkpoint.ts';
import { floats } from '../../models/device.ts';
import { inputsOf } from '../../models/inputs.ts';
import { programFor, runWith } from '../../models/programs.ts';
import type { Device } from '../../runtime/index.ts';
import type { EngineCalls } from '../../schema/messages.ts';
import { input as graphInput } from '../../tensor/index.ts';
import { modelGraph } from '../compute/model-graph.ts';
import { textsOf } from './try-prompt.ts';

/**
 * One entry per token after the first `promptLength`, A = T − promptLength in all: its text, log p(token) and
 * the entropy of the distribution that it was drawn from, both in nats at `temperature` (1 if that is 0).
 * Throws `unsupported` for a reward model, `invalid-input` for an empty prompt, tokens outside the vocabulary
 * or more than the context holds.
 */
export async function tokenFacts(
  device: Device,
  { tokens, promptLength, temperature, folder, base }: EngineCalls['tokenFacts']['input'],
): Promise<EngineCalls['tokenFacts']['output']> {
  const { model, tokenizer } = await openModelFolder(folder, undefined, undefined, base);
  const { config } = model;
  if (config.head !== 'next-token')
    throw new WhetstoneError('unsupported', 'A reward model gives tokens no probability.', {
      where: 'model',
      hint: 'Choose a checkpoint of a policy.',
    });
  const wrong = tokens.find((id) => !Number.isInteger(id) || id < 0 || id >= config.vocabulary);
  if (wrong !== undefined || promptLength < 1)
    throw new WhetstoneError(
      'invalid-input',
      wrong === undefined
        ? 'An answer without a prompt has no first probability.'
        : `There is no token ${wrong}; the model knows 0 to ${config.vocabulary - 1}.`,
      { where: 'tokens', hint: 'The answer was sampled by a model with another tokenizer.' },
    );
  const T = tokens.length;
  if (T <= promptLength) return [];
  const { form, lookup, feeds } = inputsOf(model);
  const at = temperature === 0 ? 1 : temperature;
  const program = await programFor(device, 'token-facts', { config, form }, { T, temperature: at }, () => {
    const graph = modelGraph(config);
    const parameters = lookup();
    const row = graphInput('tokens', { dtype: 'int32', shape: [1, T] });
    return {
      outputs: { logp: graph.logp(parameters, row, at), entropy: graph.entropy(parameters, row, at) },
    };
  });
  const found = await runWith(program, feeds, { tokens: Int32Array.from(tokens) });
  const [logp, entropy] = [floats(found, 'logp'), floats(found, 'entropy')];
  const answer = Int32Array.from(tokens.slice(promptLength));
  return textsOf(tokenizer, answer).map((text, t) => ({
    text,
    logp: logp[promptLength - 1 + t],
    entropy: entropy[promptLength - 1 + t],
    ends: tokenizer.ends.includes(answer[t]),
  }));
}
