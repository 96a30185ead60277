/** Makes the direction of a steering from texts, and its strength from the line that a row has come to. */
import type { ModelDevice } from '../../models/device.ts';
import type { RowInProgress } from '../../models/generate/hooks.ts';
import { checkSteering, type Steering } from '../../models/generate/steering.ts';
import { differenceOfMeans, meanHidden, type AnswerTokens } from '../../models/hidden.ts';
import type { Model } from '../../models/model.ts';
import { placed, WhetstoneError } from '../../common/errors.ts';
import type { SteeringSpec } from '../../schema/sampling.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';

type Push = Pick<Exclude<SteeringSpec, { readonly kind: 'none' }>, 'layer' | 'strength' | 'byLine'>;

/** A direction with its strength on each line of an answer; a tokenizer without a line break knows one line. */
export const steeringOf = (
  { layer, strength, byLine }: Push,
  direction: Float32Array,
  tokenizer: Tokenizer,
): Steering => {
  if (!byLine || byLine.length === 0) return { layer, direction, strength: () => strength };
  const [lineBreak] = tokenizer.decode([...tokenizer.encode('\n')]) === '\n' ? tokenizer.encode('\n') : [];
  const lineOf = ({ made }: RowInProgress) => made.filter((token) => token === lineBreak).length;
  return {
    layer,
    direction,
    strength: (row) => strength * byLine[Math.min(lineOf(row), byLine.length - 1)],
  };
};

export interface Contrast {
  readonly toward: readonly AnswerTokens[];
  readonly away: readonly AnswerTokens[];
}

/** The direction of two sets of answers. Throws `invalid-input` for a layer that the model does not have. */
export const contrastDirection = async (
  device: ModelDevice,
  model: Model,
  { toward, away }: Contrast,
  layer: number,
): Promise<Float32Array> => {
  checkSteering({ layer, direction: new Float32Array(model.config.width) }, model.config);
  const [to, from] = [
    await meanHidden(device, model, toward, layer),
    await meanHidden(device, model, away, layer),
  ];
  return differenceOfMeans(to, from);
};

/**
 * Steering by given texts. Throws `invalid-input` for a text that the model cannot read, and for a layer that
 * it does not have.
 */
export const steeringByTexts = async (
  spec: Extract<SteeringSpec, { readonly kind: 'texts' }>,
  {
    device,
    model,
    tokenizer,
    where,
  }: {
    readonly device: ModelDevice;
    readonly model: Model;
    readonly tokenizer: Tokenizer;
    readonly where: string;
  },
): Promise<Steering> => {
  const read = (side: 'toward' | 'away') =>
    spec[side].map(({ prompt, answer }, at): AnswerTokens => {
      const place = `${where}steering.${side}.${at}`;
      const before = placed(`${place}.prompt`, () => encodePrompt(tokenizer, prompt));
      const own = placed(`${place}.answer`, () => tokenizer.encode(answer));
      const tokens = Int32Array.of(...before, ...own, tokenizer.end);
      if (tokens.length <= model.config.context) return { tokens, from: before.length };
      throw new WhetstoneError(
        'invalid-input',
        `The text has ${tokens.length} tokens; the model reads ${model.config.context}.`,
        { where: place, hint: 'Shorten it, or leave it out.' },
      );
    });
  const contrast = { toward: read('toward'), away: read('away') };
  return steeringOf(spec, await contrastDirection(device, model, contrast, spec.layer), tokenizer);
};
