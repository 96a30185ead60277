import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureTexts } from '../../../engine/models/measure.ts';
import { loadTokenizer } from '../../../engine/text/load.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeAdapterFolder, writeModelFolder } from '../../support/model-folder.ts';

describe('the length of texts in tokens', () => {
  const texts = [
    { prompt: 'What is 2 + 2?', answer: 'It is four.' },
    { prompt: '', answer: '' },
  ];

  it('comes from the model’s tokenizer, including begin and end tokens, together with the context length', async () => {
    const folder = writeModelFolder(join(temporaryFolder(), 'model'));
    const tokenizer = await loadTokenizer(folder);
    const { context, tokens } = await measureTexts({ folder, texts });
    const lengthOf = ({ prompt, answer }: (typeof texts)[number]) =>
      (tokenizer.prompt?.(prompt).length ??
        tokenizer.encode(prompt).length + (tokenizer.begin === null ? 0 : 1)) +
      tokenizer.encode(answer).length +
      1;
    expect([context, tokens]).toEqual([64, texts.map(lengthOf)]);
  });

  it('for an adapter is that of its model', async () => {
    const above = temporaryFolder();
    const base = writeModelFolder(join(above, 'model'));
    const folder = await writeAdapterFolder(join(above, 'adapter'), { base, named: base });
    expect(await measureTexts({ folder, texts })).toEqual(await measureTexts({ folder: base, texts }));
  });
});
