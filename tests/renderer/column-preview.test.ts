import { describe, expect, it } from 'vitest';
import { ComputingState } from '../../renderer/features/datasets/columns/computing.svelte.ts';

type Client = ConstructorParameters<typeof ComputingState>[0];
const code = (text: string) => ({ by: 'code', code: text }) as const;

describe('the preview of a column', () => {
  it('is shown for the definition and the query that it was computed for, and no other', async () => {
    const rows = [{ row: 0, prompt: 'p', answer: 'a', cell: 1, fault: null }];
    const client = { preview: () => Promise.resolve({ rows }) } as unknown as Client;
    const computing = new ComputingState(client, 'd');
    expect(computing.isShown(code('answer.length'), '')).toBe(false);
    await computing.show(code('answer.length'), '');
    expect(computing.isShown(code('answer.length'), '')).toBe(true);
    expect(computing.isShown(code('prompt.length'), '')).toBe(false);
    expect(computing.isShown(code('answer.length'), 'is:right')).toBe(false);
    expect(computing.isShown(null, '')).toBe(false);
  });
});
