import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { checkSpec, composers, controllers, methods, rewards, worlds } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import LaunchForm from '../../renderer/features/runs/form/LaunchForm.svelte';
import type { LaunchState } from '../../renderer/features/runs/form/launch.svelte.ts';
import type { Field, NumberField } from '../../renderer/features/runs/form/fields.ts';
import { shownFields } from '../../renderer/features/runs/form/field-values.ts';
import { allOf } from '../../renderer/features/runs/form/sections.ts';
import { catalogue, checkpoint, labelSet, newModel, openForm } from '../support/launch-form.ts';

const stock = {
  checkpoints: [checkpoint('base'), checkpoint('judge', { head: 'reward', method: 'bradley-terry' })],
  labelSets: [labelSet('set')],
};
/** The catalogue with a single method: the form is complete, and the picker lacks the other forty-four. */
const only = (id: string) => ({
  ...stock,
  catalogue: { ...catalogue, methods: catalogue.methods.filter((method) => method.id === id) },
});

const fieldsOf = (launch: LaunchState): Field[] =>
  [...shownFields(allOf(launch.sections), launch)].map(({ field }) => field);
const numbersOf = (launch: LaunchState): NumberField[] =>
  fieldsOf(launch).filter((field) => field.kind === 'number');
const control = (path: readonly string[]): HTMLInputElement => {
  const place = [...document.querySelectorAll<HTMLElement>('[data-field]')].find(
    ({ dataset }) => dataset.field === path.join('.'),
  );
  const found = place?.querySelector<HTMLInputElement>('input, select, textarea');
  if (!found) throw new Error(`no control for ${path.join('.')}`);
  return found;
};
/** Selected by its type: a query by role takes a second in so large a form. */
const launchButton = () =>
  document.querySelector<HTMLButtonElement>('button[type="submit"]') as HTMLButtonElement;
const isBlocked = () => launchButton().getAttribute('aria-disabled') === 'true';
const type = async (path: readonly string[], text: string) => {
  await fireEvent.input(control(path), { target: { value: text } });
  await tick();
};
const submit = () => fireEvent.submit(launchButton().closest('form') as HTMLFormElement);

/** Texts that a number field must reject: words, a comma, numbers out of range, fractions for integers. */
const wrongFor = (field: NumberField): string[] => [
  'abc',
  '0,0003',
  ...(field.integer ? ['1.5'] : []),
  ...(field.low === null ? [] : [String(field.openLow ? field.low : field.low - 1)]),
  ...(field.high === null ? [] : [String(field.openHigh ? field.high : field.high + 1)]),
];
/** A valid number that is not the default. */
const rightFor = (field: NumberField): number => {
  const [low, high] = [field.low ?? 0, field.high ?? Infinity];
  const candidates = [low, low + 1, low + 2, high, (low + Math.min(high, low + 1)) / 2].filter((value) =>
    Number.isFinite(value),
  );
  return (
    candidates.find(
      (value) =>
        value <= high &&
        value !== field.fallback &&
        (!field.integer || Number.isInteger(value)) &&
        !(field.openLow && value === low) &&
        !(field.openHigh && value === high),
    ) ?? low
  );
};

afterEach(cleanup);

/** Checks that the text of one field becomes its value in the specification, or blocks the launch. */
async function tryField(
  { launch, launched }: { launch: LaunchState; launched: unknown[] },
  field: NumberField,
): Promise<void> {
  const { path } = field;
  const where = path.join('.');
  const before = JSON.stringify(launch.draft.plain());
  // problems of other fields, which this test ignores
  const open = launch.faults.map((each) => each.path.join('.')).filter((each) => each !== where);
  const reported = () =>
    launch.problems.map((each) => each.path.join('.')).filter((each) => !open.includes(each));
  for (const wrong of wrongFor(field)) {
    await type(path, wrong);
    expect([
      where,
      wrong,
      launch.draft.get(path) === rightValueOf(wrong),
      isBlocked(),
      control(path).getAttribute('aria-invalid'),
    ]).toEqual([where, wrong, false, true, 'true']);
    expect(reported(), where).toEqual([where]);
    expect(() => checkSpec(JSON.parse(launch.json)), `${where}: ${wrong}`).toThrow(WhetstoneError);
  }
  await submit();
  await launch.launch();
  await launch.launch(true);
  expect([where, launched, launch.estimate.busy]).toEqual([where, [], false]);
  const right = rightFor(field);
  await type(path, ` ${right} `);
  expect([where, launch.draft.get(path), reported()]).toEqual([where, right, []]);
  await type(path, '');
  const isItem = Number.isInteger(Number(path.at(-1)));
  const isNeeded =
    isItem || (field.required && field.fallback === undefined && launch.suggested(path) === undefined);
  expect([where, launch.draft.get(path), reported()]).toEqual([
    where,
    isItem ? '' : undefined,
    isNeeded ? [where] : [],
  ]);
  // restore the draft for the next field
  launch.draft.value = JSON.parse(before) as Record<string, unknown>;
  await tick();
}
/** The number that an invalid text must not become. */
const rightValueOf = (text: string): number => Number(text.replace(',', '.'));

async function tryFields(
  start: Record<string, unknown>,
  within: readonly string[],
  options = {},
): Promise<number> {
  const opened = openForm(start, { stock, ...options });
  render(LaunchForm, { launch: opened.launch });
  const fields = numbersOf(opened.launch).filter(({ path }) => within.every((key, at) => path[at] === key));
  for (const field of fields) await tryField(opened, field);
  return fields.length;
}

describe('a number field either sets its value in the run or blocks the launch', () => {
  const sft = { ...newModel, method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } };
  const grpo = { ...sft, method: { id: 'grpo' } };

  // runs in control worlds begin from a file
  it.each(methods.filter(({ task }) => task !== 'control').map(({ id }) => id))(
    'parameters of %s',
    async (id) => {
      const opened = openForm(newModel, { stock: only(id) });
      opened.launch.chooseMethod(id);
      render(LaunchForm, { launch: opened.launch });
      for (const field of numbersOf(opened.launch).filter(({ path }) => path[0] === 'method'))
        await tryField(opened, field);
    },
  );
  it.each(worlds.map(({ id }) => id))(
    'parameters of the world %s, learned from and evaluated on',
    async (id) => {
      const evaluation = { world: { id } };
      await tryFields({ ...sft, task: { kind: 'world', id }, evaluation }, ['task'], { stock: only('sft') });
      cleanup();
      await tryFields({ ...sft, evaluation }, ['evaluation', 'world'], { stock: only('sft') });
    },
  );
  it.each(rewards.map(({ id }) => id))('parameters of the scorer %s', async (id) => {
    expect(
      await tryFields({ ...grpo, rewards: [{ id }] }, ['rewards'], { stock: only('grpo') }),
    ).toBeGreaterThan(0);
  });
  it.each(composers.map(({ id }) => id))('parameters of the composer %s', async (id) => {
    await tryFields({ ...grpo, composer: { id } }, ['composer'], { stock: only('grpo') });
  });
  it.each(controllers.map(({ id }) => id))('parameters of the controller %s', async (id) => {
    await tryFields({ ...grpo, controllers: [{ id }] }, ['controllers'], { stock: only('grpo') });
  });
  it.each(['models', 'adapter', 'budget', 'seed', 'optimizer', 'sampling', 'evaluation', 'checkpoints'])(
    'the section %s',
    async (section) => {
      const bpe = { models: { policy: { ...newModel.models.policy, tokenizer: { kind: 'bpe' } } } };
      const start = {
        ...grpo,
        ...bpe,
        adapter: { kind: 'lora' },
        evaluation: { rewards: [{ id: 'length' }] },
      };
      expect(await tryFields(start, [section], { stock: only('grpo') })).toBeGreaterThan(0);
    },
  );
  it.each([
    ['dataset', { kind: 'dataset', datasetId: '' }],
    ['labels', { kind: 'labels', labelSetId: 'set' }],
  ])('the held-out share of a %s', (_kind, task) => {
    const { launch } = openForm({ ...newModel, method: { id: 'dpo' }, task }, { stock });
    launch.draft.set(['task', 'heldout'], '0,2');
    expect(launch.faults.map(({ path }) => path.join('.'))).toContain('task.heldout');
  });
  it('items of a list of numbers', async () => {
    const start = {
      ...grpo,
      controllers: [{ id: 'b-star', params: { temperatures: [0.5, 1], thresholds: [0.5] } }],
    };
    expect(
      await tryFields(start, ['controllers', '0', 'params', 'temperatures'], { stock: only('grpo') }),
    ).toBe(2);
  });
});

describe('any other field either sets its value in the run or blocks the launch', () => {
  const grpo = { ...newModel, method: { id: 'grpo' }, task: { kind: 'world', id: 'toy/copy' } };
  const shown = (start: Record<string, unknown>) => {
    const opened = openForm(start, { stock });
    render(LaunchForm, { launch: opened.launch });
    return opened;
  };

  it('JSON: checks the text while it is typed', async () => {
    const { launch } = shown({ ...grpo, rewards: [{ id: 'match/json-schema' }] });
    const path = ['rewards', '0', 'params', 'schema'];
    for (const wrong of ['{"a": ', 'abc', '"text"', '{a: 1}']) {
      await type(path, wrong);
      expect([wrong, isBlocked(), control(path).value]).toEqual([wrong, true, wrong]);
      expect(() => checkSpec(JSON.parse(launch.json))).toThrow(WhetstoneError);
    }
    await type(path, '{"type": "object"}');
    expect([isBlocked(), launch.draft.get(path)]).toEqual([false, { type: 'object' }]);
    await type(path, '');
    expect([isBlocked(), launch.draft.get(path)]).toEqual([false, undefined]);
  });

  it.each([
    [
      'a deleted checkpoint',
      { ...grpo, models: { policy: { kind: 'checkpoint', checkpointId: 'gone' } } },
      'models.policy.checkpointId',
    ],
    [
      'a deleted label set',
      { ...newModel, method: { id: 'dpo' }, task: { kind: 'labels', labelSetId: 'gone' } },
      'task.labelSetId',
    ],
    [
      'a deleted judge',
      { ...grpo, rewards: [{ id: 'reward-model', params: { checkpointId: 'gone' } }] },
      'rewards.0.params.checkpointId',
    ],
    ['an unknown world', { ...grpo, task: { kind: 'world', id: 'gone' } }, 'task'],
    ['an unknown scorer', { ...grpo, rewards: [{ id: 'gone' }] }, 'rewards.0'],
    ['an unknown controller', { ...grpo, controllers: [{ id: 'gone' }] }, 'controllers.0'],
    ['an unknown method', { ...grpo, method: { id: 'gone' } }, 'method'],
    ['an unknown device', { ...grpo, device: 'gone' }, 'device'],
    [
      'a kind of data that the method cannot learn from',
      { ...grpo, task: { kind: 'labels', labelSetId: 'set' } },
      'task',
    ],
    ['a number that is no longer allowed', { ...grpo, budget: { steps: -1 } }, 'budget.steps'],
    [
      'a parameter that the method no longer has',
      { ...grpo, method: { id: 'grpo', params: { old: 1 } } },
      'method.params.old',
    ],
    [
      'a missing required choice',
      { ...newModel, method: { id: 'dpo' }, task: { kind: 'labels' } },
      'task.labelSetId',
    ],
  ])('blocks a copied run with %s', async (_what, start, where) => {
    const { launch, launched } = shown(start);
    expect(launch.problems.map(({ path }) => path.join('.'))).toEqual([where]);
    expect(isBlocked()).toBe(true);
    await submit();
    await launch.launch();
    expect(launched).toEqual([]);
  });

  it('removes a parameter that the method no longer has', async () => {
    const { launch } = shown({ ...grpo, method: { id: 'grpo', params: { old: 1, groupSize: 4 } } });
    await fireEvent.click(screen.getByRole('button', { name: 'Remove it' }));
    expect([launch.draft.get(['method', 'params']), isBlocked()]).toEqual([{ groupSize: 4 }, false]);
  });

  it('shows the scorers of a copied run whose method takes none', () => {
    shown({
      ...newModel,
      method: { id: 'sft' },
      task: { kind: 'world', id: 'toy/copy' },
      rewards: [{ id: 'length', weight: 2 }],
    });
    expect(screen.getByRole('heading', { name: 'Rewards' })).toBeTruthy();
  });

  it('drops a hidden field, which no longer blocks', async () => {
    const { launch } = shown({ ...grpo, adapter: { kind: 'lora' } });
    await type(['adapter', 'rank'], 'abc');
    expect(isBlocked()).toBe(true);
    await fireEvent.change(control(['adapter']), { target: { value: 'none' } });
    expect([isBlocked(), launch.draft.get(['adapter'])]).toEqual([false, { kind: 'none' }]);
    launch.draft.set(['method', 'params', 'groupSize'], 'abc');
    await tick();
    expect(isBlocked()).toBe(true);
    launch.chooseMethod('sft');
    await tick();
    expect(isBlocked()).toBe(false);
  });
});

describe('a form with problems', () => {
  const sft = { ...newModel, method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } };
  const shown = (start: Record<string, unknown>, estimates?: Error) => {
    const opened = openForm(start, { stock, ...(estimates && { estimates }) });
    render(LaunchForm, { launch: opened.launch });
    return opened;
  };

  it('lists the invalid fields next to the button, with links that open collapsed sections', async () => {
    shown(sft);
    await type(['optimizer', 'clipNorm'], '0,0003');
    await type(['budget', 'steps'], 'abc');
    const clip = screen.getByRole('button', { name: 'Clip norm' });
    expect(
      within(clip.closest('li') as HTMLElement).getByText(/“0,0003” is not a number: use a point/),
    ).toBeTruthy();
    const fold = control(['optimizer', 'clipNorm']).closest('details') as HTMLDetailsElement;
    fold.open = false;
    await fireEvent.click(clip);
    expect([fold.open, document.activeElement]).toEqual([true, control(['optimizer', 'clipNorm'])]);
    await submit();
    expect(document.activeElement).toBe(control(['budget', 'steps']));
  });

  it('copies the typed text, never a default instead', async () => {
    const { launch } = shown(sft);
    launch.checkSoon();
    await waitFor(() => expect((JSON.parse(launch.json) as { seed?: number }).seed).toBe(0));
    await type(['optimizer', 'learningRate'], '0,0003');
    expect((JSON.parse(launch.json) as { optimizer: object }).optimizer).toEqual({ learningRate: '0,0003' });
  });

  it('requests no estimate', async () => {
    const { launch, asked } = shown(sft);
    await type(['budget', 'batch'], '-8');
    await fireEvent.click(screen.getByRole('button', { name: 'Estimate' }));
    await launch.askEstimate();
    expect(asked).toEqual([]);
  });

  it('is not launched if the preflight check refuses it, and shows the remedy at the field', async () => {
    const refusal = new WhetstoneError('invalid-input', 'None of the 45 decided pairs fits into 96 tokens.', {
      where: 'models.policy.architecture.context',
      hint: 'Give it 512 tokens.',
    });
    const { launch, launched } = shown(sft, refusal);
    await launch.launch();
    await tick();
    expect(launched).toEqual([]);
    const listed = screen.getByRole('button', { name: /Context/ }).closest('li') as HTMLElement;
    expect([
      within(listed).getByText(refusal.message),
      within(listed).getByText('Give it 512 tokens.'),
    ]).toHaveLength(2);
  });

  it('is launched if the estimate failed for a reason unrelated to the run', async () => {
    const { launch, launched } = shown(sft, new WhetstoneError('internal', 'A process ended.'));
    await launch.launch();
    expect(launched).toHaveLength(1);
  });

  it('starts one run, however often it is submitted', async () => {
    const { launch, launched } = shown(sft);
    void submit();
    void submit();
    await fireEvent.dblClick(launchButton());
    await Promise.all([launch.launch(), launch.launch()]);
    await waitFor(() => expect(launch.busy).toBe(false));
    await launch.launch();
    expect(launched).toHaveLength(1);
  });

  it('starts nothing if it was changed during the check', async () => {
    const { launch, launched } = shown(sft);
    const started = launch.launch();
    launch.draft.set(['budget', 'steps'], 7);
    await started;
    expect([launched, launch.generalError?.kind]).toEqual([[], 'conflict']);
    await launch.launch();
    expect(launched).toMatchObject([{ budget: { steps: 7 } }]);
  });
});
