import { fireEvent, render, screen } from '@testing-library/svelte';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tick } from 'svelte';
import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import CreateSet, { type NewSet } from '../../renderer/features/labeling/CreateSet.svelte';
import { ToyState } from '../../renderer/features/methods/toy.svelte.ts';
import ToyResult from '../../renderer/features/methods/ToyResult.svelte';
import { TryState } from '../../renderer/features/models/try.svelte.ts';
import TryIt from '../../renderer/features/models/TryIt.svelte';
import Rescore from '../../renderer/features/runs/Rescore.svelte';
import { RescoreState } from '../../renderer/features/runs/rescore.svelte.ts';
import { noFindings } from '../support/findings.ts';
import { catalogue } from '../support/launch-form.ts';

/** Every number field of the page's other forms: how to fill it, submit it, and read the result. */
interface Form {
  readonly fields: Readonly<Record<string, { readonly wrong: readonly string[]; readonly right: string }>>;
  readonly open: () => { readonly sent: unknown[]; readonly form: () => HTMLFormElement };
}

const texts = ['abc', '0,5', '1,000', '', '1_000', '1e999'];
const seed = { wrong: [...texts, '-1', '1.5', '4294967296'], right: '7' };
const theForm = () => document.querySelector('form') as HTMLFormElement;
const dataset: Dataset = {
  id: 'd',
  name: 'pears',
  source: '',
  hash: '',
  createdAt: 0,
  rows: 3,
  doctor: noFindings,
};

const forms: Readonly<Record<string, Form>> = {
  'pairing a dataset': {
    fields: { 'Max pairs per prompt': { wrong: [...texts, '0', '101', '1.5'], right: '3' }, Seed: seed },
    open: () => {
      const sent: NewSet[] = [];
      render(CreateSet, {
        datasets: [dataset],
        runs: [],
        preset: { dataset: 'd' },
        busy: false,
        oncreate: (set) => {
          sent.push(set);
        },
      });
      return { sent, form: theForm };
    },
  },
  'trying a prompt': {
    fields: {
      Temperature: { wrong: [...texts, '-1', '6'], right: '0.5' },
      'Top-p': { wrong: [...texts, '0', '1.1'], right: '0.9' },
      'Maximum tokens': { wrong: [...texts, '0', '4097', '1.5'], right: '9' },
      Seed: seed,
    },
    open: () => {
      const sent: unknown[] = [];
      const attempt = new TryState(
        { kind: 'model', id: 'm' },
        {
          try: (input) => {
            sent.push(input);
            return () => undefined;
          },
        },
      );
      attempt.prompt = 'q';
      render(TryIt, { attempt, template: false });
      return { sent, form: theForm };
    },
  },
  'a toy run': {
    fields: { Seed: seed },
    open: () => {
      const sent: unknown[] = [];
      const run = new ToyState('dpo', {
        runToy: (input) => {
          sent.push(input);
          return () => undefined;
        },
      });
      render(ToyResult, {
        toy: { world: 'toy/pairs', metric: 'loss', atLeast: null, atMost: 0.3, result: null },
        run,
      });
      return { sent, form: theForm };
    },
  },
  'scoring again': {
    fields: {
      Weight: { wrong: ['abc', '0,5', '1,000', '1_000', '1e999'], right: '2' },
      Target: { wrong: ['abc', '0,5', '-1'], right: '8' },
    },
    open: () => {
      const sent: unknown[] = [];
      const spec = checkSpec({
        method: { id: 'grpo' },
        task: { kind: 'world', id: 'toy/copy' },
        rewards: [{ id: 'length' }],
        models: { policy: { kind: 'new', architecture: {}, tokenizer: { kind: 'characters' } } },
      });
      const stock = { catalogue, checkpoints: [], models: [], datasets: [], labelSets: [], runs: [] };
      const rescoring = new RescoreState('r', spec, stock, {
        check: async (input) => checkSpec(input.spec),
        rescore: (input) => {
          sent.push(input);
          return () => undefined;
        },
      });
      render(Rescore, { rescoring, answers: 8 });
      return { sent, form: theForm };
    },
  },
};

describe.each(Object.entries(forms))(
  'the form for %s submits the values in its fields, or nothing',
  (_name, { fields, open }) => {
    it.each(Object.keys(fields))('%s', async (label) => {
      const { sent, form } = open();
      const { wrong, right } = fields[label];
      for (const text of wrong) {
        await fireEvent.input(screen.getByLabelText(label), { target: { value: text } });
        await tick();
        const button = form().querySelector<HTMLButtonElement>('button[type="submit"]');
        expect([text, screen.getByLabelText(label).getAttribute('aria-invalid'), button?.disabled]).toEqual([
          text,
          'true',
          true,
        ]);
        await fireEvent.submit(form());
        await fireEvent.keyDown(form(), { key: 'Enter', ctrlKey: true });
        expect([text, sent]).toEqual([text, []]);
      }
      await fireEvent.input(screen.getByLabelText(label), { target: { value: ` ${right} ` } });
      await fireEvent.submit(form());
      await fireEvent.submit(form());
      expect(Object.values(flat(sent[0]))).toContain(Number(right));
    });
  },
);

const flat = (value: unknown, path = ''): Record<string, unknown> =>
  typeof value === 'object' && value !== null
    ? (Object.assign(
        {},
        ...Object.entries(value).map(([key, each]) => flat(each, `${path}.${key}`)),
      ) as Record<string, unknown>)
    : { [path]: value };

describe('the page', () => {
  it('has no number field other than those that reject invalid text', () => {
    const root = join(process.cwd(), 'renderer');
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.svelte'))
      .filter((path) =>
        /type=["']?number|valueAsNumber|parseFloat|parseInt/.test(readFileSync(join(root, path), 'utf8')),
      );
    expect(found).toEqual([]);
  });
});
