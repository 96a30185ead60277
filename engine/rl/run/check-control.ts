/**
 * Checks what belongs together in a control world: a network in place of a model on text, and nothing of
 * texts.
 */
import { checkWatched, controlWorldById } from '../../control/index.ts';
import { actsByNumbers } from '../../schema/model.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Method } from '../kernel/method.ts';
import { outputsOf } from './open-model.ts';
import { refuse } from './parse-field.ts';

/** Settings of texts that have no meaning where observations are numbers. */
const ofTexts: readonly (readonly [where: string, isSet: (spec: RunSpec) => boolean])[] = [
  ['rewards', ({ rewards }) => rewards.length > 0],
  ['composer', ({ composer }) => Boolean(composer)],
  ['demand', ({ demand }) => demand !== undefined],
  ['controllers', ({ controllers }) => controllers.length > 0],
  ['evaluations', ({ evaluations = [] }) => evaluations.length > 0],
  ['evaluation.world', ({ evaluation }) => evaluation.world !== null],
  ['evaluation.rewards', ({ evaluation }) => evaluation.rewards.length > 0],
  ['sampling.guidance', ({ sampling }) => sampling.guidance !== undefined],
  ['sampling.steering', ({ sampling }) => sampling.steering !== undefined],
  ['sampling.grammar', ({ sampling }) => sampling.grammar !== undefined],
  ['sampling.topK', ({ sampling }) => sampling.topK !== undefined],
  ['sampling.topP', ({ sampling }) => (sampling.topP ?? 1) < 1],
  ['sampling.minP', ({ sampling }) => (sampling.minP ?? 0) > 0],
  ['adapter', ({ adapter }) => adapter?.kind === 'lora'],
];

/**
 * Throws where the steps of a batch do not go with the method's parameters, and values with a temperature.
 */
const checkSteps = (method: Method, params: object, { budget, sampling }: RunSpec): void => {
  const {
    copies = 1,
    minibatches = 1,
    capacity = Infinity,
  } = params as {
    readonly copies?: number;
    readonly minibatches?: number;
    readonly capacity?: number;
  };
  if (budget.batch % copies !== 0)
    refuse(
      'budget.batch',
      `${copies} copies cannot share ${budget.batch} steps equally.`,
      `Choose a multiple of ${copies}.`,
    );
  if (outputsOf(method) !== 'choices' && sampling.temperature !== 1)
    refuse(
      'sampling.temperature',
      `The network of '${method.id}' gives no logits of actions, which a temperature could divide.`,
      'Leave it out; how much is tried are parameters of the method.',
    );
  if (capacity < budget.batch)
    refuse(
      'method.params.capacity',
      `There is no room for the ${budget.batch} steps of a batch among ${capacity}.`,
      'Choose a larger one, or a smaller batch.',
    );
  if (minibatches > budget.batch)
    refuse(
      'method.params.minibatches',
      `${budget.batch} steps cannot be cut into ${minibatches} parts.`,
      'Choose fewer minibatches, or a larger batch.',
    );
};

/** Throws `invalid-input` with the field where texts and numbers are mixed. */
export const checkControl = (method: Method, params: object, spec: RunSpec): void => {
  const { task, models } = spec;
  const network = Object.keys(models).find((name) => models[name]?.kind === 'network');
  if (task.kind !== 'control') {
    if (network !== undefined)
      refuse(
        `models.${network}.kind`,
        'A network reads observations of a control world; this task is made of texts.',
        'Choose a language model, or a task of the kind control.',
      );
    return;
  }
  const world = controlWorldById(task.id, 'task.id');
  const { actions } = world;
  const isOfNumbers = actsByNumbers(outputsOf(method));
  if (isOfNumbers !== (actions.kind === 'numbers'))
    refuse(
      'task.id',
      isOfNumbers
        ? `The actions of '${task.id}' are choices, and those of '${method.id}' are numbers.`
        : `The actions of '${task.id}' are numbers, and '${method.id}' chooses among several.`,
      `Choose a world whose actions are ${isOfNumbers ? 'numbers' : 'choices'}.`,
    );
  checkSteps(method, params, spec);
  checkWatched(world, task.charts ?? [], 'task.charts');
  if (spec.optimizer.dropout > 0)
    refuse('optimizer.dropout', 'A network on observations has no dropout.', 'Leave it out.');
  if (spec.optimizer.kind === 'muon')
    refuse('optimizer.kind', 'Muon is for matrices inside a transformer.', 'Choose AdamW.');
  const text = Object.keys(models).find((name) => ['new', 'model'].includes(models[name]?.kind ?? ''));
  if (text !== undefined)
    refuse(
      `models.${text}.kind`,
      `'${method.id}' acts on the numbers of '${task.id}', which a model on text does not read.`,
      'Choose a network, or a checkpoint of one.',
    );
  for (const [where, isSet] of ofTexts)
    if (isSet(spec))
      refuse(where, 'This setting is of texts, and a control world has none.', 'Leave it out.');
};
