import { describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ModeId, OptionChanges } from '../../engine/schema/labeling/index.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import { defaultOptions } from '../../preload/wire/label-options.ts';
import { OptionsForm, type OptionsPort } from '../../renderer/features/labeling/set-options.svelte.ts';

const usage = {
  reasons: { clearer: 2 },
  flags: {},
  attributes: { helpfulness: 3, correctness: 3 },
  spanLabels: { wrong: 1 },
  ratings: { 5: 2, 3: 1 },
  much: 0,
};

/** A form over a set in memory, whose writes can be refused. */
async function formOf(mode: ModeId) {
  const set: LabelSet = {
    id: 'set',
    name: 'set',
    createdAt: 0,
    source: 'run:r',
    pairs: 1,
    labeled: 1,
    decided: 1,
    mode,
    options: defaultOptions,
  };
  const far = { refuse: false, written: [] as OptionChanges[] };
  const port: OptionsPort = {
    optionUsage: async () => usage,
    setOptions: async ({ options }) => {
      if (far.refuse) throw new WhetstoneError('disk-full', 'The disk is full.');
      far.written.push(options);
      return { ...set, options: { ...defaultOptions, ...options } };
    },
  };
  const form = new OptionsForm(set, port);
  await form.load();
  return { form, far };
}

describe('the form of a set’s options', () => {
  it('writes what was changed only, and is unchanged then', async () => {
    const { form, far } = await formOf('pair');
    expect([form.isChanged, form.losses]).toEqual([false, []]);
    form.strength = false;
    form.names.reasons = ' kinder ,kinder, clearer';
    expect(form.isChanged).toBe(true);
    expect((await form.save())?.options).toMatchObject({ strength: false });
    expect(far.written).toEqual([{ strength: false, reasons: ['kinder', 'clearer'] }]);
    expect([form.isChanged, form.saved]).toEqual([false, true]);
  });

  it('keeps the changes if they could not be saved, until they are discarded', async () => {
    const { form, far } = await formOf('pair');
    far.refuse = true;
    form.guidelines = 'Be kind.';
    expect(await form.save()).toBeNull();
    expect([form.task.error?.kind, form.guidelines, form.isChanged]).toEqual(['disk-full', 'Be kind.', true]);
    form.discard();
    expect([form.guidelines, form.isChanged]).toEqual(['', false]);
  });

  it('says which decisions use what would no longer be offered', async () => {
    const rating = (await formOf('rating')).form;
    rating.names.attributes = 'helpfulness';
    rating.scale.text = '4';
    expect(rating.losses).toEqual([
      expect.stringContaining('3 decisions rated “correctness”'),
      '2 decisions rated above 4. They keep their ratings.',
    ]);
    const spans = (await formOf('spans')).form;
    spans.names.spanLabels = 'good';
    expect(spans.losses).toEqual([expect.stringContaining('1 decision used “wrong”')]);
    expect((await formOf('pair')).form.fields.map(({ name }) => name)).toEqual(['reasons', 'flags']);
  });

  it.each([
    ['attributes', ' , '],
    ['attributes', 'abcdefghi'.split('').join(',')],
    ['flags', 'x'.repeat(61)],
  ] as const)('refuses %s that are “%s”, and writes nothing', async (name, text) => {
    const { form, far } = await formOf('rating');
    form.names[name] = text;
    expect(form.problem).not.toBeNull();
    expect(await form.save()).toBeNull();
    expect(far.written).toEqual([]);
  });
});
