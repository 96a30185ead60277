import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { encodeConversation } from '../../../engine/text/chat.ts';
import type { Message } from '../../../engine/text/chat-template.ts';
import { loadTokenizer } from '../../../engine/text/load.ts';
import { encodeExample, encodePrompt, maskOf } from '../../../engine/text/spans.ts';
import { caught, rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';

interface Expected {
  readonly texts: readonly string[];
  readonly conversations: readonly (readonly Message[])[];
  readonly tokenizers: Readonly<
    Record<
      string,
      {
        readonly vocabulary: number;
        readonly plain: number[][];
        readonly whole: number[][];
        readonly decoded: string[];
        readonly rendered: readonly (
          { readonly text: string; readonly prompt: string } | { readonly refused: string }
        )[];
      }
    >
  >;
}
const folder = fileURLToPath(new URL('../../support/oracles/tokenizers/', import.meta.url));
const { texts, conversations, tokenizers } = JSON.parse(
  await readFile(join(folder, 'expected.json'), 'utf8'),
) as Expected;
/** Texts that contain no special token of any of the tokenizers. */
const isOrdinary = (text: string) => !text.includes('<|') && !text.includes('<s>');

describe.each(Object.keys(tokenizers))('the tokenizer of %s', async (name) => {
  const expected = tokenizers[name];
  const plain = await loadTokenizer(join(folder, name), 'plain');

  it('gives the tokens of Python’s library, and adds the token that begins a text', () => {
    expect(plain.vocabulary).toBe(expected.vocabulary);
    texts.forEach((text, t) => {
      expect([...plain.encodeSpecial!(text)], JSON.stringify(text)).toEqual(expected.plain[t]);
      if (!isOrdinary(text)) return;
      expect([...plain.encode(text)]).toEqual(expected.plain[t]);
      expect([...encodePrompt(plain, text)]).toEqual(expected.whole[t]);
    });
  });

  it('decodes tokens as Python’s library does', () => {
    texts.forEach((text, t) => {
      if (isOrdinary(text))
        expect(plain.decode(expected.plain[t]), JSON.stringify(text)).toBe(expected.decoded[t]);
    });
  });

  it('encodes the text of a special token as ordinary text, and decodes a special token as U+FFFD', () => {
    const [end] = plain.ends;
    const encoded = plain.encode('a<|end|>b</s>');
    for (const id of plain.ends) expect(encoded).not.toContain(id);
    const inner = [...plain.encode('12')];
    expect(plain.decode([...inner, end])).toBe(plain.decode(inner));
    expect(plain.decode([...inner, end, ...inner])).toMatch(/\ufffd/);
    expect(plain.decode([...inner, plain.vocabulary + 5])).toMatch(/\ufffd$/);
  });

  it.skipIf(expected.rendered.length === 0)('renders conversations as Transformers does', () => {
    expected.rendered.forEach((rendered, c) => {
      if ('refused' in rendered) {
        expect(caught(() => plain.template!.render(conversations[c], { reply: false }))).toMatchObject({
          kind: 'invalid-input',
          message: expect.stringContaining(rendered.refused) as string,
        });
        return;
      }
      expect(plain.template!.render(conversations[c], { reply: false })).toBe(rendered.text);
      expect(plain.template!.render(conversations[c].slice(0, -1), { reply: true })).toBe(rendered.prompt);
    });
  });

  it.skipIf(expected.rendered.length === 0)(
    'trains on the assistant’s turns, up to their end tokens, and on nothing else',
    () => {
      expected.rendered.forEach((rendered, c) => {
        if ('refused' in rendered) return;
        const { tokens, spans } = encodeConversation(plain, conversations[c]);
        const mask = maskOf(spans, tokens.length);
        const trained = spans
          .filter(([, , , trainable]) => trainable)
          .map(([start, end, role]) => ({
            role,
            text: plain.decode(tokens.subarray(start, end)).trim(),
            end: tokens[end - 1],
          }));
        const written = conversations[c].filter(({ role }) => role === 'assistant');
        expect(trained).toEqual(
          written.map(({ content }) => ({ role: 'assistant', text: content, end: plain.end })),
        );
        expect(mask.reduce((a, b) => a + b, 0)).toBe(
          spans.reduce((sum, [start, end, , trainable]) => sum + (trainable ? end - start : 0), 0),
        );
        expect(new Set(spans.map(([, , role]) => role))).toEqual(
          new Set(conversations[c].map(({ role }) => role)),
        );
        // The parts are encoded one by one; together they give the template's text.
        const shown = spans.map(([start, end]) => [...tokens.subarray(start, end)]).flat();
        expect(shown).toEqual([...tokens]);
        if (name === 'qwen2') expect([...tokens]).toEqual([...plain.encodeSpecial!(rendered.text)]);
      });
    },
  );

  it('renders a prompt with its template, unless disabled', async () => {
    const auto = await loadTokenizer(join(folder, name));
    const message = [{ role: 'user', content: 'What is 12 * 3?' }];
    expect([...encodePrompt(auto, 'What is 12 * 3?')]).toEqual([
      ...(plain.template
        ? plain.encodeSpecial!(plain.template.render(message, { reply: true }))
        : encodePrompt(plain, 'What is 12 * 3?')),
    ]);
    const { tokens, promptLength } = encodeExample(auto, 'Why?', 'So.');
    expect(tokens.at(-1)).toBe(auto.end);
    expect(auto.decode(tokens.subarray(promptLength))).toBe('So.');
    if (!plain.template)
      expect(await rejected(loadTokenizer(join(folder, name), 'chat'))).toMatchObject({
        kind: 'unsupported',
      });
  });
});

describe('a folder’s tokenizer', () => {
  const changed = async (
    change: (file: Record<string, unknown>) => void,
    name = 'tokenizer.json',
  ): Promise<string> => {
    const copy = join(temporaryFolder(), 'model');
    await cp(join(folder, 'qwen2'), copy, { recursive: true });
    const file = JSON.parse(await readFile(join(copy, name), 'utf8')) as Record<string, unknown>;
    change(file);
    await writeFile(join(copy, name), JSON.stringify(file));
    return copy;
  };

  it('ends answers at every end token of the generation configuration', async () => {
    const copy = await changed(() => undefined);
    await writeFile(join(copy, 'generation_config.json'), JSON.stringify({ eos_token_id: [2, 0] }));
    expect((await loadTokenizer(copy)).ends).toEqual([2, 0]);
  });

  it(
    'finds its end token where older folders store it: among the special tokens, or in the model’s ' +
      'configuration',
    async () => {
      const copy = await changed((file) => {
        delete file.eos_token;
      }, 'tokenizer_config.json');
      await writeFile(join(copy, 'config.json'), JSON.stringify({ eos_token_id: 7 }));
      expect((await loadTokenizer(copy)).ends).toEqual([7]);
      await writeFile(
        join(copy, 'special_tokens_map.json'),
        JSON.stringify({ eos_token: { content: '<|end|>', lstrip: false } }),
      );
      expect((await loadTokenizer(copy)).ends).toEqual([0]);
    },
  );

  it('reads its template from a separate file, or the one named default from a list', async () => {
    const own = await changed(() => undefined);
    await writeFile(join(own, 'chat_template.jinja'), '{{ messages[0].content }}!');
    expect(
      (await loadTokenizer(own)).template!.render([{ role: 'user', content: 'x' }], { reply: true }),
    ).toBe('x!');
    const listed = await changed((file) => {
      file.chat_template = [
        { name: 'tool_use', template: 'no' },
        { name: 'default', template: 'yes' },
      ];
    }, 'tokenizer_config.json');
    expect((await loadTokenizer(listed)).template!.render([], { reply: false })).toBe('yes');
  });

  it.each<[string, (file: Record<string, unknown>) => void, string, string]>([
    [
      'another model than BPE',
      (file) => {
        file.model = { type: 'Unigram', vocab: {} };
      },
      'tokenizer.json',
      'unsupported',
    ],
    [
      'no vocabulary',
      (file) => {
        file.model = { type: 'BPE' };
      },
      'tokenizer.json',
      'invalid-input',
    ],
    [
      'an unknown pre-tokenizer',
      (file) => {
        file.pre_tokenizer = { type: 'Martian' };
      },
      'tokenizer.json',
      'unsupported',
    ],
    [
      'no end token',
      (file) => {
        file.eos_token = null;
      },
      'tokenizer_config.json',
      'unsupported',
    ],
    [
      'a template that is not valid Jinja',
      (file) => {
        file.chat_template = '{% if %}{{';
      },
      'tokenizer_config.json',
      'unsupported',
    ],
  ])('with %s is rejected by name', async (_, change, name, kind) => {
    const copy = await changed(change, name);
    expect(await rejected(loadTokenizer(copy))).toMatchObject({ kind, where: join(copy, 'tokenizer.json') });
  });

  it('rejects training on a template that rewrites earlier turns', async () => {
    const copy = await changed((file) => {
      file.chat_template = '{{ messages | length }}{% for m in messages %}{{ m.content }}{% endfor %}';
    }, 'tokenizer_config.json');
    const tokenizer = await loadTokenizer(copy);
    expect(caught(() => encodeConversation(tokenizer, conversations[0]))).toMatchObject({
      kind: 'unsupported',
      where: 'messages',
    });
  });
});
