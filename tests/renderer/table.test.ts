import { render } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { describe, expect, it } from 'vitest';
import Table from '../../renderer/widgets/Table.svelte';
import type { Column } from '../../renderer/widgets/table.ts';
import { columnOf } from '../support/table.ts';

interface Row {
  name: string;
  size: number | null;
}
const rows: Row[] = [
  { name: 'a', size: 1 },
  { name: 'b', size: null },
];
const columns: Column<Row>[] = [
  { title: 'Name', kind: 'heading', text: ({ name }) => name },
  {
    title: 'Size',
    unit: 'px',
    hint: 'How large',
    kind: 'number',
    text: ({ size }) => (size === null ? 'not measured' : String(size)),
    fills: ({ size }) => size === null,
  },
  {
    title: 'Open',
    titleHidden: true,
    cell: createRawSnippet((row: () => Row) => ({
      render: () => `<button>Open ${row().name}</button>`,
    })),
  },
];
const shown = (props: object = {}) => {
  const { container } = render(Table<Row>, { rows, columns, ...props });
  return {
    container,
    all: (selector: string) => [...container.querySelectorAll<HTMLElement>(selector)],
  };
};

describe('a table', () => {
  it('has a header for each column and each row', () => {
    const { all, container } = shown();
    expect(all('thead th').map((th) => th.textContent)).toEqual(['Name', 'Size px', 'Open']);
    expect(all('tbody th').map((th) => [th.getAttribute('scope'), th.textContent])).toEqual([
      ['row', 'a'],
      ['row', 'b'],
    ]);
    expect(columnOf(container, 'Size px')).toEqual(['1', 'not measured']);
    expect(all('thead th')[1].title).toBe('How large');
  });

  it('shows snippets as cells, and a title for screen readers alone', () => {
    const { all } = shown();
    expect(all('button').map((button) => button.textContent)).toEqual(['Open a']);
    expect(all('thead th')[2].querySelector('.hidden-text')?.textContent).toBe('Open');
  });

  it('lets a remark replace the cells after it', () => {
    const [first, second] = shown().all('tbody tr') as HTMLTableRowElement[];
    expect([...first.cells].map((cell) => cell.colSpan)).toEqual([1, 1, 1]);
    expect([...second.cells].map((cell) => cell.colSpan)).toEqual([1, 2]);
  });

  it('has no header row if no column has a title', () =>
    expect(shown({ columns: [{ text: ({ name }: Row) => name }] }).all('thead')).toEqual([]));

  it('shows an empty state instead of no rows', () => {
    const { container, all } = shown({ rows: [], empty: 'Nothing yet.' });
    expect([container.textContent, all('table')]).toEqual(['Nothing yet.', []]);
  });

  it('can be focused and scrolled by keyboard if it is a region', () => {
    const [region] = shown({ region: 'Sizes' }).all('[role=region]');
    expect([region.getAttribute('aria-label'), region.tabIndex]).toEqual(['Sizes', 0]);
  });

  it('puts a note on a separate line under its row', () => {
    const { all } = shown({ note: ({ name }: Row) => (name === 'a' ? 'logged' : '') });
    expect(all('tbody tr').map((tr) => tr.textContent)).toEqual(['a1Open a', 'logged', 'bnot measured']);
  });
});
