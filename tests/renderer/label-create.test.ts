import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';
import { orders as queueOrders } from '../../engine/index.ts';
import type { Run } from '../../preload/contract/runs.ts';
import CreateSet from '../../renderer/features/labeling/CreateSet.svelte';

const run = (id: string, createdAt: number) =>
  ({ id, name: 'base', method: 'sft', createdAt }) as unknown as Run;
const orders = queueOrders.map(({ id, title, summary }) => ({ id, title, summary })) as never;

it('takes the order of the queue from its address, and says what the chosen one does', async () => {
  const oncreate = vi.fn();
  const runs = [run('b', 86_400_000), run('a', 1)];
  render(CreateSet, {
    datasets: [],
    runs,
    orders,
    preset: { run: 'a', order: 'uncertain' },
    busy: false,
    oncreate,
  });
  const order = screen.getByLabelText('Order') as HTMLSelectElement;
  const about = document.getElementById(order.getAttribute('aria-describedby') ?? '');
  const summaryOf = (id: string) => queueOrders.find((each) => each.id === id)?.summary;
  expect([order.value, about?.textContent]).toEqual(['uncertain', summaryOf('uncertain')]);
  await fireEvent.change(order, { target: { value: 'random' } });
  expect(about?.textContent).toBe(summaryOf('random'));
  await fireEvent.change(order, { target: { value: 'uncertain' } });
  await fireEvent.click(screen.getByText('Create pairs'));
  expect(oncreate.mock.calls).toMatchObject([[{ order: 'uncertain', from: { kind: 'run', runId: 'a' } }]]);
  const source = screen.getByLabelText('Source') as HTMLSelectElement;
  const names = [...source.options].slice(1).map(({ text }) => text);
  expect(new Set(names).size, 'runs of one name are told apart').toBe(2);
});

it('labels in random order where its address names none that exists', async () => {
  const oncreate = vi.fn();
  const runs = [run('a', 1)];
  render(CreateSet, {
    datasets: [],
    runs,
    orders,
    preset: { run: 'a', order: 'surest' },
    busy: false,
    oncreate,
  });
  await fireEvent.click(screen.getByText('Create pairs'));
  expect(oncreate.mock.calls).toMatchObject([[{ order: 'random' }]]);
});
