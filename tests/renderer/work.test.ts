import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import Work from '../../renderer/widgets/Work.svelte';

test('a click stops running work; the second click of a double click, or Enter in another field, does not', async () => {
  const onstop = vi.fn();
  const onstart = vi.fn();
  const { rerender } = render(Work, { busy: false, start: 'Run', onstart, onstop });
  await fireEvent.click(screen.getByRole('button'), { detail: 1 });
  await rerender({ busy: true });
  await fireEvent.click(screen.getByRole('button'), { detail: 2 });
  expect([onstart.mock.calls.length, onstop.mock.calls.length]).toEqual([1, 0]);
  const field = document.body.appendChild(document.createElement('input'));
  field.focus();
  await fireEvent.click(screen.getByRole('button'), { detail: 0 });
  expect(onstop).not.toHaveBeenCalled();
  field.remove();
  screen.getByRole('button').focus();
  for (const detail of [0, 1]) await fireEvent.click(screen.getByRole('button'), { detail });
  expect([onstart.mock.calls.length, onstop.mock.calls.length]).toEqual([1, 2]);
});
