import * as z from 'zod';
import { chosenOption, normalised, optionsIn } from '../../answers/choices.ts';
import { BadReference, defineMatch, each, shown } from './match.ts';

/** Multiple choice: letters or the options' words, in answer and reference. */
export const choice = defineMatch({
  id: 'match/choice',
  title: 'Multiple choice',
  summary:
    'Right where the answer names the reference’s option: by letter (b, (B), "the answer is B"), or by ' +
    'the option’s words as the prompt lists them.',
  params: z.strictObject({}),
  reads: (reference) => {
    if (normalised(reference) === '' && chosenOption(reference, new Map()) === null)
      throw new BadReference(`names no option: ${shown(reference)}`);
    return reference;
  },
  judge: each((reference: string, answer, { prompt }) => {
    const options = optionsIn(prompt);
    const [expected, chosen] = [chosenOption(reference, options), chosenOption(answer, options)];
    // without listed options a reference may be words: then equal words are the same choice
    return expected === null ? normalised(answer) === normalised(reference) : chosen === expected;
  }),
});
