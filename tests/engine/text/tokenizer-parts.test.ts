import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { huggingFaceTokenizer } from '../../../engine/text/hugging-face.ts';
import type { Tokenizer } from '../../../engine/text/tokenizer.ts';
import { caught } from '../../support/errors.ts';

interface Case {
  readonly name: string;
  readonly base: string;
  readonly changes: Readonly<Record<string, object | null>>;
  readonly ids?: readonly number[][];
  readonly decoded?: readonly string[];
  readonly refused?: string;
}
const oracles = new URL('../../support/oracles/', import.meta.url);
/** Output of Python's `tokenizers` for each part; see tokenizer_parts.py. */
const { texts, cases } = JSON.parse(await readFile(new URL('tokenizer-parts.json', oracles), 'utf8')) as {
  readonly texts: readonly string[];
  readonly cases: readonly Case[];
};
type File = Record<string, unknown> & { readonly model: Record<string, unknown> };
const bases = new Map(
  await Promise.all(
    ['gpt2', 'sentencepiece'].map(
      async (name) =>
        [
          name,
          JSON.parse(await readFile(new URL(`tokenizers/${name}/tokenizer.json`, oracles), 'utf8')) as File,
        ] as const,
    ),
  ),
);

const tokenizerOf = (file: object): Tokenizer => {
  const files = new Map(
    [
      ['tokenizer.json', file],
      ['tokenizer_config.json', { eos_token: 'eos' }],
      ['generation_config.json', { eos_token_id: 0 }],
    ].map(([name, json]) => [name as string, new TextEncoder().encode(JSON.stringify(json))]),
  );
  return huggingFaceTokenizer(files, 'tokenizer.json', 'plain');
};
const changed = ({ base, changes }: Pick<Case, 'base' | 'changes'>): object => {
  const file = bases.get(base)!;
  return { ...file, ...changes, model: { ...file.model, ...changes.model } };
};

/** Parts that are not supported, with words of the error message. */
const refused: Readonly<Record<string, string>> = {
  BertPreTokenizer: 'BertPreTokenizer',
  FixedLength: 'FixedLength',
  UnicodeScripts: 'UnicodeScripts',
  CharDelimiterSplit: 'CharDelimiterSplit',
  'Punctuation Removed': 'Punctuation',
  'Punctuation Merged': 'Punctuation',
  'Split Isolated inverted': 'inverted',
  'Split Merged': 'Split with the behavior Merged',
  'Split Contiguous': 'Split with the behavior Contiguous',
  'Split Removed String': 'Split with the behavior Removed',
  'pre-tokenizer none': 'unknown characters',
  'without unknown': 'unknown characters',
  'Removed captures': 'Split with the behavior Removed',
  'behind Split': 'Split with the behavior Merged',
  Lowercase: 'Lowercase',
  StripAccents: 'StripAccents',
  Nmt: 'Nmt',
  'normalizer ByteLevel': 'the normalizer ByteLevel',
  'normalizer Strip': 'the normalizer Strip',
  'Replace to dollar': 'Replace',
  'Replace Regex': 'Replace with a regular',
  BertNormalizer: 'BertNormalizer',
  ', split': 'Metaspace that splits',
  'older Metaspace': 'Metaspace that splits',
  ', fused': 'fuse_unk',
  'continuing prefix': 'continuing_subword_prefix',
  'word suffix': 'end_of_word_suffix',
  WordPiece: 'the decoder WordPiece',
  BPEDecoder: 'the decoder BPEDecoder',
  CTC: 'the decoder CTC',
  single_word: 'single_word',
};
const wordsFor = (name: string): string | undefined =>
  name === 'pre-tokenizer ByteLevel with a space'
    ? 'ByteLevel that puts a space'
    : name === 'characters, fused'
      ? undefined
      : Object.entries(refused).find(([part]) => name.includes(part))?.[1];

describe('a part of tokenizer.json', () => {
  it.each(cases)(
    'works as in Python’s tokenizers, or is rejected by name: $name',
    ({ name, ids, decoded, ...rest }) => {
      const words = wordsFor(name) ?? (ids ? undefined : '');
      if (words !== undefined) {
        expect(caught(() => tokenizerOf(changed(rest)))).toMatchObject({
          kind: 'unsupported',
          message: expect.stringContaining(words) as string,
          hint: expect.stringContaining('BPE') as string,
        });
        return;
      }
      const tokenizer = tokenizerOf(changed(rest));
      const special = new Set(
        (changed(rest) as { added_tokens: { id: number; special: boolean }[] }).added_tokens
          .filter((token) => token.special)
          .map(({ id }) => id),
      );
      texts.forEach((text, t) => {
        expect([...tokenizer.encodeSpecial!(text)], JSON.stringify(text)).toEqual(ids![t]);
        [ids![t], ids![t].slice(0, Math.floor((ids![t].length * 2) / 3)), ids![t].slice(1)].forEach(
          (part, at) => {
            // we decode a special token as U+FFFD
            if (decoded && !part.some((id) => special.has(id)))
              expect(tokenizer.decode(part), JSON.stringify(part)).toBe(decoded[t * 3 + at]);
          },
        );
      });
    },
  );

  it.each([
    [
      'Unigram',
      {
        type: 'Unigram',
        unk_id: 0,
        vocab: [
          ['<unk>', 0],
          ['a', -1.5],
        ],
      },
    ],
    [
      'WordPiece',
      {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: { '[UNK]': 0, a: 1 },
      },
    ],
    ['WordLevel', { type: 'WordLevel', unk_token: '[UNK]', vocab: { '[UNK]': 0, a: 1 } }],
  ])('reports a %s model as unsupported, not as broken', (type, model) => {
    const error = caught(() => tokenizerOf({ ...bases.get('gpt2')!, model }));
    expect(error).toBeInstanceOf(WhetstoneError);
    expect(error).toMatchObject({
      kind: 'unsupported',
      message: `This is a ${type} tokenizer, which is not supported; only BPE is.`,
    });
  });

  it('reports all unsupported parts at once', () => {
    const file = changed({
      base: 'gpt2',
      changes: {
        normalizer: { type: 'Lowercase' },
        pre_tokenizer: {
          type: 'Sequence',
          pretokenizers: [{ type: 'BertPreTokenizer' }, { type: 'ByteLevel', use_regex: false }],
        },
        decoder: { type: 'CTC' },
        post_processor: { type: 'Martian' },
      },
    });
    expect(caught(() => tokenizerOf(file))).toMatchObject({
      kind: 'unsupported',
      message:
        'This tokenizer has parts that are not supported: the post-processor Martian, the decoder CTC, ' +
        'the normalizer Lowercase, the pre-tokenizer BertPreTokenizer.',
    });
  });

  it('a post-processor that appends the begin token does not make it the first token', () => {
    const single = [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '<|end|>', type_id: 0 } }];
    const after = {
      type: 'TemplateProcessing',
      single,
      pair: single,
      special_tokens: { '<|end|>': { id: '<|end|>', ids: [0], tokens: ['<|end|>'] } },
    };
    const files = new Map(
      [
        ['tokenizer.json', changed({ base: 'gpt2', changes: { post_processor: after } })],
        ['tokenizer_config.json', { bos_token: '<|end|>', eos_token: '<|end|>' }],
      ].map(([name, json]) => [name as string, new TextEncoder().encode(JSON.stringify(json))]),
    );
    expect(huggingFaceTokenizer(files, 'tokenizer.json').begin).toBe(null);
  });
});
