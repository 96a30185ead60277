import type { Preflight } from '../../engine/schema/preflight.ts';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { describe, expect, it } from 'vitest';
import { checkSpec, methods, specSchema } from '../../engine/index.ts';
import { fieldOf, fieldsOf, initial, parseNumber } from '../../renderer/features/runs/form/fields.ts';
import type { Field, NumberField } from '../../renderer/features/runs/form/fields.ts';
import LaunchForm from '../../renderer/features/runs/form/LaunchForm.svelte';
import { LaunchState } from '../../renderer/features/runs/form/launch.svelte.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { noFindings } from '../support/findings.ts';
import { catalogue, newModel, openForm, small, tooLarge } from '../support/launch-form.ts';

const find = (fields: readonly Field[], key: string) => fields.find((field) => field.key === key);

const open = (start: Record<string, unknown> = newModel, estimates: Preflight | 'never' = small) =>
  openForm(start, { estimates });

describe('fields from a JSON Schema', () => {
  const fields = fieldsOf(specSchema as Record<string, unknown>);

  it('have a control for every choice, and none for constants', () => {
    expect(fields.map(({ key, kind }) => [key, kind])).toEqual([
      ['name', 'text'],
      ['method', 'named'],
      ['models', 'group'],
      ['roles', 'json'],
      ['adapter', 'union'],
      ['task', 'union'],
      ['rewards', 'list'],
      ['composer', 'named'],
      ['demand', 'group'],
      ['controllers', 'list'],
      ['optimizer', 'group'],
      ['sampling', 'group'],
      ['budget', 'group'],
      ['evaluation', 'group'],
      ['evaluations', 'list'],
      ['checkpoints', 'group'],
      ['seed', 'number'],
      ['device', 'choice'],
    ]);
  });
  it('include ranges, defaults, hints and paths', () => {
    const optimizer = find(fields, 'optimizer');
    const rate = optimizer?.kind === 'group' ? find(optimizer.fields, 'learningRate') : undefined;
    expect(rate).toMatchObject({
      kind: 'number',
      path: ['optimizer', 'learningRate'],
      label: 'Learning rate',
      fallback: 5e-4,
      low: 0,
      high: 10,
      integer: false,
    });
    const clip = optimizer?.kind === 'group' ? find(optimizer.fields, 'clipNorm') : undefined;
    expect(clip).toMatchObject({ low: 0, openLow: true, hint: 'Global gradient norm is clipped to this.' });
  });
  it('include unions with their tag, and the minimal value of each option', () => {
    const models = find(fields, 'models');
    const policy = models?.kind === 'group' ? find(models.fields, 'policy') : undefined;
    expect(policy).toMatchObject({ kind: 'union', tag: 'kind' });
    expect(policy && initial(policy)).toEqual({
      kind: 'new',
      architecture: {},
      tokenizer: { kind: 'characters' },
    });
  });
  it('offer full training or an adapter', () => {
    const adapter = find(fields, 'adapter');
    expect(
      adapter?.kind === 'union' &&
        adapter.options.map(({ value, fields: own }) => [value, own.map(({ key }) => key)]),
    ).toEqual([
      ['none', []],
      ['lora', ['rank', 'alpha', 'targets', 'rsLora', 'base']],
    ]);
    expect(adapter?.kind === 'union' && find(adapter.options[1].fields, 'base')).toMatchObject({
      kind: 'choice',
      options: ['float32', 'int8', 'int4', 'nf4'],
      fallback: 'float32',
      label: 'Base',
    });
    expect(adapter && initial(adapter)).toEqual({ kind: 'none' });
  });
  it('support a nullable name with parameters', () => {
    const evaluation = find(fields, 'evaluation');
    expect(evaluation?.kind === 'group' ? find(evaluation.fields, 'world') : undefined).toMatchObject({
      kind: 'named',
      nullable: true,
    });
  });
  it('follow references inside the schema', () => {
    const root = { $defs: { n: { type: 'integer', minimum: 1 } }, properties: { n: { $ref: '#/$defs/n' } } };
    expect(fieldsOf(root)).toMatchObject([{ kind: 'number', integer: true, low: 1 }]);
  });
  it('show unknown schemas as JSON instead of hiding them', () => {
    expect(fieldOf({ type: 'object', additionalProperties: {} }, ['x'])).toMatchObject({ kind: 'json' });
  });

  it('report invalid numbers without a request', () => {
    const field = { ...(fieldOf({ type: 'integer', minimum: 1, maximum: 8 }, ['n']) as NumberField) };
    expect(parseNumber(field, '')).toEqual({ ok: true, value: undefined });
    expect(parseNumber(field, ' 5 ')).toEqual({ ok: true, value: 5 });
    expect(
      [
        parseNumber(field, 'x'),
        parseNumber(field, '1.5'),
        parseNumber(field, '0'),
        parseNumber(field, '9'),
      ].map((each) => (each.ok ? '' : each.message)),
    ).toEqual(['“x” is not a number', 'must be a whole number', 'must be at least 1', 'must be at most 8']);
    expect(parseNumber({ ...field, integer: false, openLow: true, low: 0 }, '5e-4')).toEqual({
      ok: true,
      value: 5e-4,
    });
    expect(parseNumber({ ...field, openLow: true, low: 0 }, '0')).toEqual({
      ok: false,
      message: 'must be more than 0',
    });
  });
});

describe('the launch form', () => {
  // runs in control worlds begin from a file
  for (const method of methods.filter(({ task }) => task !== 'control')) {
    it(`makes a specification that the engine accepts: ${method.id}`, () => {
      const { launch } = open();
      launch.chooseMethod(method.id);
      expect(checkSpec(launch.draft.plain()).method.id).toBe(method.id);
      for (const preset of Object.values(method.presets)) {
        launch.preset(preset as Record<string, unknown>);
        expect(checkSpec(launch.draft.plain()).method.params).toMatchObject(preset);
      }
    });
    it(`shows every parameter of ${method.id} with its hint`, () => {
      const { launch } = open();
      launch.chooseMethod(method.id);
      render(LaunchForm, { launch });
      for (const field of fieldsOf(method.params as Record<string, unknown>).flatMap((each) =>
        each.kind === 'group' && each.key === each.label ? each.fields : [each],
      )) {
        const region = method.main.includes(field.key) ? 'Basics' : 'Method';
        const own = within(screen.getByRole('region', { name: region }));
        expect(own.getByLabelText(field.label)).toBeTruthy();
        if (field.hint) expect(own.getAllByText(field.hint).length).toBeGreaterThan(0);
      }
    });
  }

  it('shows the learning rate for the chosen model, as filled in by the check', () => {
    const policy = { kind: 'model', modelId: 'm' };
    const { launch } = open({
      method: { id: 'sft' },
      task: { kind: 'world', id: 'toy/copy' },
      models: { policy },
    });
    const rate = () => launch.suggested(['optimizer', 'learningRate']);
    for (const adapter of [undefined, { kind: 'lora' }]) {
      launch.draft.set(['adapter'], adapter);
      expect(rate()).toBe(checkSpec(launch.draft.plain()).optimizer.learningRate);
    }
    const { learningRate } = methods.find(({ id }) => id === 'sft')?.suggested.optimizer as {
      learningRate: number;
    };
    expect(rate()).toBe(learningRate / 10);
    launch.draft.set(['models', 'policy'], { kind: 'checkpoint', checkpointId: 'c' });
    expect(rate()).toBe(learningRate);
  });

  it('has no optimizer for a run that only asks its model', () => {
    const { launch } = open();
    launch.chooseMethod('search-rounds');
    render(LaunchForm, { launch });
    expect(screen.getByText('Batches of prompts that are asked.')).toBeTruthy();
    expect(screen.queryByText('Optimizer updates.')).toBeNull();
    expect(screen.queryByLabelText('Learning rate')).toBeNull();
    expect(screen.queryByRole('heading', { name: 'Optimizer' })).toBeNull();
    expect(launch.problems).toEqual([]);
  });

  it('shows the suggestions of a method as defaults, and stores only changed values', async () => {
    const { launch } = open();
    launch.chooseMethod('grpo');
    render(LaunchForm, { launch });
    const steps = screen.getByLabelText('Steps') as HTMLInputElement;
    expect([steps.value, steps.placeholder]).toEqual([
      '',
      String((methods.find(({ id }) => id === 'grpo')?.suggested.budget as { steps: number }).steps),
    ]);
    await fireEvent.input(steps, { target: { value: '12' } });
    expect(launch.draft.plain().budget).toEqual({ steps: 12 });
    await fireEvent.input(steps, { target: { value: '' } });
    expect(checkSpec(launch.draft.plain()).budget.steps).toBe(Number(steps.placeholder));
  });

  it('shows an error of the engine at its field', async () => {
    const { launch } = open();
    launch.chooseMethod('grpo');
    render(LaunchForm, { launch });
    launch.draft.set(['method', 'params'], { groupSize: 1 });
    launch.checkSoon();
    await waitFor(() => expect(launch.error()?.where).toBe('method.params.groupSize'));
    await tick();
    expect(screen.getByLabelText('Group size').getAttribute('aria-invalid')).toBe('true');
  });

  it('launches the shown specification', async () => {
    const { launch, launched } = open();
    launch.chooseMethod('sft');
    render(LaunchForm, { launch });
    await fireEvent.input(screen.getByLabelText('Name of the run'), { target: { value: 'base' } });
    await fireEvent.click(screen.getByRole('button', { name: 'Launch' }));
    await waitFor(() => expect(launched).toHaveLength(1));
    expect(launched[0]).toMatchObject({ name: 'base', method: { id: 'sft' }, task: { kind: 'world' } });
  });

  it('adds and removes scorers, each with its own parameters', async () => {
    const { launch } = open();
    launch.chooseMethod('grpo');
    render(LaunchForm, { launch });
    const section = screen.getByRole('heading', { name: 'Rewards' }).parentElement as HTMLElement;
    await fireEvent.click(within(section).getAllByRole('button', { name: 'Add' })[0]);
    await fireEvent.change(within(section).getByLabelText('Scorer'), { target: { value: 'length' } });
    expect(launch.draft.get(['rewards', '0', 'id'])).toBe('length');
    expect(within(section).getByLabelText('Target')).toBeTruthy();
    await fireEvent.click(within(section).getByRole('button', { name: 'Remove Scorers 1' }));
    expect(launch.draft.get(['rewards'])).toBeUndefined();
  });
});

describe('the estimate', () => {
  it('comes from the services, becomes outdated when the form changes, and shows the reason of a failure', async () => {
    const { launch } = open(
      { ...newModel, method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } },
      tooLarge,
    );
    const { estimate, draft } = launch;
    await estimate.ask(draft.plain());
    expect([estimate.value?.remedies[0].to, estimate.isOld(draft.plain())]).toEqual([8, false]);
    draft.set(['budget', 'batch'], 8);
    expect(estimate.isOld(draft.plain())).toBe(true);
    draft.set(['budget', 'batch'], -1);
    await estimate.ask(draft.plain());
    expect([estimate.value, estimate.error?.where]).toEqual([null, 'budget.batch']);
  });

  const sft = { ...newModel, method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } };
  it('shows its progress, and can be stopped', async () => {
    const { launch, launched, asked } = open(sft, 'never');
    render(LaunchForm, { launch });
    await fireEvent.click(screen.getByRole('button', { name: 'Launch' }));
    await waitFor(() =>
      expect(screen.getByRole('progressbar', { name: 'Estimating' }).getAttribute('aria-valuenow')).toBe(
        '25',
      ),
    );
    await fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
    await waitFor(() => expect(screen.getByRole('button', { name: 'Launch' })).toBeTruthy());
    expect([launched, asked, launch.estimate.error?.kind]).toEqual([
      [],
      [{ dryRun: false }, 'let go'],
      'cancelled',
    ]);
  });

  it('stops a launch that does not fit and shows remedies, but allows to launch anyway', async () => {
    const { launch, launched } = open(sft, tooLarge);
    render(LaunchForm, { launch });
    await fireEvent.click(screen.getByRole('button', { name: 'Launch' }));
    await waitFor(() => expect(screen.getByText(/It does not fit, so it is not started/)).toBeTruthy());
    expect(launched).toEqual([]);
    expect(screen.getByText('budget.batch 32 → 8')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Launch anyway' }));
    await waitFor(() =>
      expect(launched).toMatchObject([{ method: { id: 'sft' }, budget: { overcommit: true } }]),
    );
  });
});

describe('an untrained policy', () => {
  it('causes a warning only for methods that need a trained policy', () => {
    const { launch } = open();
    const warned = (method: string): boolean => {
      launch.chooseMethod(method);
      return launch.advice.trainsUntrainedPolicy;
    };
    expect(['grpo', 'dpo', 'kto', 'sft', 'bradley-terry', 'sample'].map(warned)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    launch.draft.set(['models', 'policy'], { kind: 'checkpoint', checkpointId: 'base' });
    expect(warned('grpo')).toBe(false);
  });
});

describe('a dataset with references', () => {
  const dataset = (id: string, references: number, verifier: string | null): Dataset => ({
    id,
    name: id,
    source: '',
    hash: '',
    createdAt: 0,
    rows: 10,
    doctor: { ...noFindings, references, verifier },
  });
  const stock = {
    checkpoints: [],
    models: [],
    datasets: [
      dataset('numbers', 10, 'match/numeric'),
      dataset('letters', 10, 'match/choice'),
      dataset('bare', 0, null),
    ],
    labelSets: [],
    runs: [],
  };
  const port = {
    check: async ({ spec }: { spec: unknown }) => checkSpec(spec),
    launch: async () => ({ runId: 'run' }),
    preflight: () => () => undefined,
  };
  const started = (task: object, rewards?: object[]) => {
    const launch = new LaunchState(
      { catalogue, ...stock },
      { ...newModel, task, ...(rewards && { rewards }) },
      port,
      () => undefined,
    );
    launch.chooseMethod('grpo');
    launch.checkSoon();
    return launch;
  };
  const offered = (launch: LaunchState) => launch.registry(['rewards', '0']).map(({ id }) => id);

  it('selects the matching verifier, until scorers are chosen', () => {
    const launch = started({ kind: 'dataset', datasetId: 'numbers' });
    expect(launch.draft.get(['rewards'])).toEqual([{ id: 'match/numeric' }]);
    launch.draft.set(['task', 'datasetId'], 'letters');
    launch.checkSoon();
    expect(launch.draft.get(['rewards'])).toEqual([{ id: 'match/choice' }]);
    launch.draft.set(['task', 'datasetId'], 'bare');
    launch.checkSoon();
    expect(launch.draft.get(['rewards'])).toBeUndefined();
    const chosen = started({ kind: 'dataset', datasetId: 'numbers' }, [{ id: 'length' }]);
    chosen.draft.set(['task', 'datasetId'], 'letters');
    chosen.checkSoon();
    expect(chosen.draft.get(['rewards'])).toEqual([{ id: 'length' }]);
  });

  it('offers verifiers for references, and the world’s verifier for a world', () => {
    expect(offered(started({ kind: 'dataset', datasetId: 'numbers' }))).toEqual(
      expect.arrayContaining(['match/numeric', 'match/json-schema', 'length']),
    );
    expect(offered(started({ kind: 'dataset', datasetId: 'numbers' }))).not.toContain('verifier');
    expect(
      offered(started({ kind: 'dataset', datasetId: 'bare' })).filter((id) => id.startsWith('match/')),
    ).toEqual([]);
    expect(offered(started({ kind: 'world', id: 'arithmetic' }))).toContain('verifier');
  });
});
