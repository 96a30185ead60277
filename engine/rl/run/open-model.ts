/** Opens a run's initial model: random weights, a checkpoint or a model folder. */
import { outputNames, type ControlWorld } from '../../control/index.ts';
import { configOf, networkConfigOf, type Head, type ModelConfig } from '../../models/config.ts';
import { openModelFolder, type OpenFolder } from '../../models/checkpoint.ts';
import { resolveModelFolder } from '../../models/folder.ts';
import { hash32 } from '../../random/random.ts';
import { createModel, withDirections, withHead, type Model } from '../../models/model.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { BaseRef, StartRun } from '../../schema/messages.ts';
import type { ModelSource, NetworkOutputs } from '../../schema/model.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import { actionsTokenizer } from '../../text/actions.ts';
import { makeTokenizer } from '../../text/load.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Method } from '../kernel/method.ts';
import { methodOf } from '../methods/index.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { adapterOfRun } from './adapter.ts';
import { averaged } from './averaged.ts';

/** The head trained by a method. */
export const headOf = (method: Method): Head =>
  method.head ?? (method.produces === 'reward' ? 'reward' : 'next-token');

/** Outputs of the method's network in a control world. */
export const outputsOf = (method: Pick<Method, 'outputs'>): NetworkOutputs => method.outputs ?? 'choices';

/** Adds the method's own texts, whose characters a new tokenizer's alphabet must include. */
export const withTexts = (data: TaskData, texts: readonly string[]): TaskData => ({
  ...data,
  texts: [...data.texts, ...texts],
  trainingTexts: [...data.trainingTexts, ...texts],
});

/** A role other than the policy: its name, and the tokenizer of a new model, if that is another's. */
export interface OpenedFor {
  readonly name: string;
  readonly tokenizer?: Tokenizer;
}

/** For whom a model is opened, the policy by default, and how its folder is. */
interface Opening {
  readonly role?: OpenedFor;
  readonly open?: OpenFolder;
}

/**
 * Opens an initial model with the head trained by the method, and its adapter if the run trains one.
 * `copiedBytes` is the size of the original if it was copied to replace the head, else 0.
 */
export const openModel = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  head: Head,
  opening: Opening = {},
): Promise<{ model: Model; tokenizer: Tokenizer; copiedBytes: number }> => {
  const { model: found, tokenizer, base } = await openSource(run, data, head, opening);
  const own = directed(adapterOfRun(found, run.spec, base), run.spec, opening);
  if (own.config.head === head) return { model: own, tokenizer, copiedBytes: 0 };
  const model = withHead(own, head, run.spec.seed);
  const isCopy = model.parameters !== own.parameters;
  return { model, tokenizer, copiedBytes: isCopy ? own.parameters.flat.byteLength : 0 };
};

/** The policy with a direction for each answer, if the method draws one. */
const directed = (model: Model, spec: RunSpec, { role }: Opening): Model => {
  const softPrompt = role ? undefined : methodOf(spec).softPrompt(spec.method.params);
  return softPrompt ? withDirections(model, softPrompt, spec.seed) : model;
};

/** A network with random weights for the observations and the choices of the task's world. */
const newNetwork = (
  shape: Extract<ModelSource, { kind: 'network' }>,
  { control }: TaskData,
  { seed, outputs }: { readonly seed: number; readonly outputs: NetworkOutputs },
): { model: Model; tokenizer: Tokenizer } => {
  if (!control)
    throw new WhetstoneError('internal', 'A network was opened for a task that is no control world.', {
      where: 'models.policy',
    });
  const names = outputNames(control.actions);
  return {
    model: createModel(networkConfigOf(shape, control.observations.length, names.length, outputs), seed),
    tokenizer: actionsTokenizer(names),
  };
};

/**
 * Throws `invalid-input` for a network on a text task, a model on text in a control world, and other sizes.
 */
const checkReads = (config: ModelConfig, world: ControlWorld | undefined, where: string): void => {
  const isFit =
    config.family === 'network'
      ? world !== undefined &&
        config.observed === world.observations.length &&
        config.vocabulary === outputNames(world.actions).length
      : world === undefined;
  if (isFit) return;
  const what =
    config.family === 'network'
      ? `a network on ${config.observed} numbers with ${config.vocabulary} outputs`
      : 'a model on text';
  throw new WhetstoneError(
    'invalid-input',
    `This checkpoint is ${what}, which does not fit ${world ? `the world '${world.id}'` : 'a task of texts'}.`,
    { where, hint: 'Choose one that was trained on such a task.' },
  );
};

const saidOf = {
  choices: 'a policy with a critic',
  values: 'values of actions',
  numbers: 'numbers of an action, with two critics',
  'valued-numbers': 'numbers of an action, with two critics and a value of the state',
  latent: 'a policy that follows a random direction',
  novelty: 'a policy with a predictor of novelty',
  noisy: 'a policy whose weights have noise',
} as const satisfies Record<NetworkOutputs, string>;

/** Throws `invalid-input` for a network with other outputs than the method needs. */
const checkOutputs = (config: ModelConfig, outputs: NetworkOutputs, where: string): void => {
  if (config.family !== 'network' || config.outputs === outputs) return;
  throw new WhetstoneError(
    'invalid-input',
    `This network gives ${saidOf[config.outputs]}, and the method needs ${saidOf[outputs]}.`,
    { where, hint: 'Choose one that was trained by such a method, or a new network.' },
  );
};

/**
 * A random model with the head trained by the method, or a checkpoint's with its own. `base` is its folder
 * and hash.
 */
const openSource = async (
  { spec, resources }: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  head: Head,
  { role, open = openModelFolder }: Opening,
): Promise<{ model: Model; tokenizer: Tokenizer; base?: BaseRef }> => {
  const {
    models: { policy: source },
    adapter,
  } = spec;
  const { control } = data;
  const outputs = outputsOf(methodOf(spec));
  if (source.kind === 'network')
    return newNetwork(source, data, {
      seed: role ? hash32(`${spec.seed} ${role.name}`) : spec.seed,
      outputs,
    });
  if (source.kind === 'new') {
    const tokenizer = role?.tokenizer ?? makeTokenizer(source.tokenizer, data.texts, data.trainingTexts);
    // a new model of another role starts from other random weights
    const seed = role ? hash32(`${spec.seed} ${role.name}`) : spec.seed;
    return { tokenizer, model: createModel(configOf(source.architecture, tokenizer.vocabulary, head), seed) };
  }
  const [id, field] =
    source.kind === 'model' ? [source.modelId, 'modelId'] : [source.checkpointId, 'checkpointId'];
  const where = `models.${role?.name ?? 'policy'}`;
  const folder = resources.checkpoints[id];
  if (folder === undefined)
    throw new WhetstoneError('not-found', `The ${source.kind} '${id}' is not there.`, {
      where: `${where}.${field}`,
    });
  const added = resources.models?.[id];
  const { model, tokenizer, hash } = await open(
    folder,
    source.kind === 'model' ? source.prompts : undefined,
    adapter?.kind === 'lora' ? adapter.base : 'float32',
    added?.base,
  );
  checkReads(model.config, control, `${where}.${field}`);
  checkOutputs(model.config, outputs, `${where}.${field}`);
  if (source.kind === 'checkpoint' && source.average)
    return { model: await averaged(model, source.average, { resources, open, where }), tokenizer };
  const base = { path: await resolveModelFolder(folder), hash: hash ?? added?.hash ?? null };
  if (model.config.head !== head && head === 'next-token')
    throw new WhetstoneError(
      'invalid-input',
      `This ${source.kind} is a reward model; the method needs one that writes text.`,
      { where: `${where}.${field}`, hint: 'Choose one of a policy.' },
    );
  return { model, tokenizer, base };
};
