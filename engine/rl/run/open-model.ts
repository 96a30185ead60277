/** Opens a run's initial model: random weights, a checkpoint or a model folder. */
import { configOf, type Head } from '../../models/config.ts';
import { openModelFolder } from '../../models/checkpoint.ts';
import { resolveModelFolder } from '../../models/folder.ts';
import { createModel, withHead, type Model } from '../../models/model.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { BaseRef, StartRun } from '../../schema/messages.ts';
import { makeTokenizer } from '../../text/load.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Method } from '../kernel/method.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { adapterOfRun } from './adapter.ts';

/** The head trained by a method. */
export const headOf = (method: Method): Head =>
  method.head ?? (method.produces === 'reward' ? 'reward' : 'next-token');

/** Adds the method's own texts, whose characters a new tokenizer's alphabet must include. */
export const withTexts = (data: TaskData, texts: readonly string[]): TaskData => ({
  ...data,
  texts: [...data.texts, ...texts],
  trainingTexts: [...data.trainingTexts, ...texts],
});

/** Opens the initial model, with its adapter if the run trains one. */
export const openModel = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  head: Head,
): Promise<{ model: Model; tokenizer: Tokenizer; copiedBytes: number }> => {
  const { model, tokenizer, base, copiedBytes = 0 } = await openPolicy(run, data, head);
  return { tokenizer, copiedBytes, model: adapterOfRun(model, run.spec, base) };
};

/**
 * A random model, or a checkpoint's, with the head trained by the method. `base` is its folder and hash,
 * `copiedBytes` the size of the original when it was copied to replace the head.
 */
const openPolicy = async (
  { spec, resources }: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  head: Head,
): Promise<{ model: Model; tokenizer: Tokenizer; base?: BaseRef; copiedBytes?: number }> => {
  const {
    models: { policy: source },
    adapter,
  } = spec;
  if (source.kind === 'new') {
    const tokenizer = makeTokenizer(source.tokenizer, data.texts, data.trainingTexts);
    return {
      tokenizer,
      model: createModel(configOf(source.architecture, tokenizer.vocabulary, head), spec.seed),
    };
  }
  const [id, field] =
    source.kind === 'model' ? [source.modelId, 'modelId'] : [source.checkpointId, 'checkpointId'];
  const folder = resources.checkpoints[id];
  if (folder === undefined)
    throw new WhetstoneError('not-found', `The ${source.kind} '${id}' is not there.`, {
      where: `models.policy.${field}`,
    });
  const added = resources.models?.[id];
  const { model, tokenizer, hash } = await openModelFolder(
    folder,
    source.kind === 'model' ? source.prompts : undefined,
    adapter?.kind === 'lora' ? adapter.base : 'float32',
    added?.base,
  );
  const base = { path: await resolveModelFolder(folder), hash: hash ?? added?.hash ?? null };
  if (model.config.head === head) return { model, tokenizer, base };
  if (head === 'next-token')
    throw new WhetstoneError(
      'invalid-input',
      `This ${source.kind} is a reward model; the method needs one that writes text.`,
      { where: `models.policy.${field}`, hint: 'Choose one of a policy.' },
    );
  return {
    model: withHead(model, head, spec.seed),
    tokenizer,
    base,
    copiedBytes: model.parameters.flat.byteLength,
  };
};
