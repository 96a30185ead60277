import { WhetstoneError } from '../common/errors.ts';
import type { Tokenizer } from './tokenizer.ts';

const readsNoText = (): never => {
  throw new WhetstoneError('unsupported', 'The actions of a control world are no text.', {
    where: 'tokenizer',
    hint: 'Choose a language model.',
  });
};

/** One token per action of a control world, without special tokens; it decodes to the actions' names. */
export const actionsTokenizer = (names: readonly string[]): Tokenizer => ({
  kind: 'actions',
  vocabulary: names.length,
  pad: -1,
  begin: null,
  end: -1,
  ends: [],
  encode: readsNoText,
  decode: (ids) => Array.from(ids, (id) => names[id] ?? '\ufffd').join(' '),
  toJson: () => ({ type: 'whetstone-actions', version: 1, names }),
});
