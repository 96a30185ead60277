import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeConversation } from '../../../engine/text/chat.ts';
import { chatTemplate, type Message } from '../../../engine/text/chat-template.ts';
import { bytesTokenizer } from '../../../engine/text/bytes.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { caught } from '../../support/errors.ts';

const read = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(new URL(`../../support/oracles/${name}`, import.meta.url), 'utf8')) as T;
const small = await read<{
  readonly conversations: readonly (readonly Message[])[];
  readonly specials: Readonly<Record<string, string>>;
  readonly templates: readonly { readonly template: string; readonly rendered: readonly (string | null)[] }[];
}>('templates.json');

/** The rendered text, or the kind of the error. */
const outcome = (
  source: string,
  specials: Readonly<Record<string, string>>,
  messages: readonly Message[],
  reply: boolean,
): string | { readonly refused: string } => {
  try {
    return chatTemplate(source, specials, 'template').render(messages, { reply });
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    return { refused: `${error.kind}: ${error.message}` };
  }
};

describe('a chat template', () => {
  it.each(small.templates)('renders the same text as Transformers: $template', ({ template, rendered }) => {
    rendered.forEach((wanted, c) => {
      const found = outcome(template, small.specials, small.conversations[c], c === 1);
      // null: Transformers fails as well
      if (wanted === null) expect(found).toMatchObject({ refused: expect.any(String) as string });
      else expect(found).toEqual(wanted);
    });
  });

  it.each([
    ['a filter', '{{ messages | groupby("role") }}', 'the filter “groupby”'],
    ['a test', '{{ 4 is divisibleby(2) }}', 'cannot be read'],
    ['a test of a selection', '{{ [4] | select("divisibleby", 2) | list }}', '“is divisibleby”'],
    ['a method', '{{ "a".center(3) }}', 'the method center of a str'],
    ['a method that changes a list', '{{ messages.append(1) }}', 'the method append of a list'],
    ['text formatting', '{{ "%s" % 1 }}', 'text formatted by %'],
    ['an operator', '{{ 2 ** 3 }}', 'the operator **'],
    ['a chain', '{{ 1 < 2 < 3 }}', 'in a chain'],
    ['the text of a generator', '{{ [1] | select }}', 'the text of a generator'],
    ['markup', '{{ "<" | escape }}', '“escape”'],
    ['a statement', '{% include "x" %}', 'cannot be read'],
    ['raw text', '{% raw %}{{ x }}{% endraw %}', 'cannot be read'],
    ['a part of a date', '{{ strftime_now("%s") }}', 'the part %s of a date'],
    ['a hidden attribute', '{{ "".__class__ }}', '__class__'],
    ['a generator’s loop attribute', '{% for i in [1] %}{{ loop.depth }}{% endfor %}', 'loop.depth'],
    ['a large integer', '{{ 9007199254740993 + 0 }}', 'beyond 2⁵³'],
  ])(
    'with %s, which is not supported, is rejected by name, never rendered differently',
    (_, source, words) => {
      expect(outcome(source, {}, [{ role: 'user', content: 'x' }], false)).toMatchObject({
        refused: expect.stringMatching(/^unsupported: /) as string,
      });
      expect(
        (outcome(source, {}, [{ role: 'user', content: 'x' }], false) as { refused: string }).refused,
      ).toContain(words);
    },
  );

  it('keeps the indentation of code in trained text', () => {
    const template = chatTemplate(
      "{% for m in messages %}<{{ m.role }}>{{ m.content.strip('\\n') }}</>{% endfor %}{% if " +
        'add_generation_prompt %}<assistant>{% endif %}',
      {},
      'template',
    );
    const code = '    return x\n        + 1';
    const tokenizer = { ...bytesTokenizer(), template };
    const { tokens, spans } = encodeConversation(tokenizer, [
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: `\n${code}\n` },
    ]);
    const trained = spans
      .filter(([, , , trainable]) => trainable)
      .map(([from, to]) => tokenizer.decode(tokens.subarray(from, to)));
    expect(trained).toEqual([`${code}</>`]);
  });

  it('that cannot be rendered is not mistaken for one that rejects an incomplete conversation', () => {
    const template = chatTemplate(
      '{% for m in messages %}{{ m.content | center(9) }}{% endfor %}',
      {},
      'template',
    );
    expect(
      caught(() =>
        encodeConversation({ ...bytesTokenizer(), template }, [
          { role: 'user', content: 'Q' },
          { role: 'assistant', content: 'A' },
        ]),
      ),
    ).toMatchObject({ kind: 'unsupported', message: expect.stringContaining('center') as string });
  });
});

const folder = process.env.WHETSTONE_TRL_TEMPLATES;
const isThere = folder !== undefined && existsSync(folder);
const trl = await read<{
  readonly conversations: readonly (readonly Message[])[];
  readonly specials: Readonly<Record<string, string>>;
  readonly hashes: Readonly<Record<string, string>>;
}>('trl-templates.json');

describe.skipIf(!isThere)(
  `TRL’s templates${isThere ? '' : ' (WHETSTONE_TRL_TEMPLATES names no folder with them)'}`,
  () => {
    it.each(Object.entries(trl.hashes))(
      '%s renders the same text as Transformers for every conversation',
      async (name, hashes) => {
        const source = await readFile(join(folder!, name), 'utf8');
        const found = trl.conversations.flatMap((messages) =>
          [false, true].map((reply) => outcome(source, trl.specials, messages, reply)),
        );
        expect(
          found
            .map((text) =>
              typeof text === 'string' ? createHash('sha256').update(text).digest('hex').slice(0, 5) : '-',
            )
            .join(' '),
        ).toBe(hashes);
      },
    );
  },
);
