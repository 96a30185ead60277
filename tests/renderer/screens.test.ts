import { describe, expect, it } from 'vitest';
import { help } from '../../renderer/help.ts';
import { crumbsOf, places, screenOf, screens } from '../../renderer/screens.ts';

describe.each(screens.map((screen) => [screen.title, screen] as const))('the screen %s', (_, screen) => {
  it('opens by its address, also with further path segments', () => {
    const path = screen.id.split('/');
    expect(screenOf(path)).toBe(screen);
    expect(screenOf([...path, 'one'])).toBe(screen);
  });
  it('says in three sentences what it is for', () => {
    const purpose: readonly string[] = help[screen.id]?.purpose ?? [];
    expect(purpose).toHaveLength(3);
    for (const sentence of purpose) expect(sentence).toMatch(/^[A-Z][^.!?]{10,}\.$/);
    expect(new Set(purpose).size).toBe(3);
  });
  it('opens by its own keys if it is in the rail', () => {
    const place = places.find(({ id }) => id === screen.id);
    expect(place?.keys).toBe(screen.icon ? screen.keys : undefined);
    expect(screens.filter(({ keys }) => keys && keys === screen.keys)).toEqual(screen.keys ? [screen] : []);
  });
});

it('leads from a view to the list that it belongs to, and from a list to its place', () => {
  const titles = (...path: string[]) => crumbsOf(path).map(({ title }) => title);
  expect(titles()).toEqual(['Home']);
  expect(titles('runs', 'some-run')).toEqual(['Runs']);
  expect(titles('runs', 'plans')).toEqual(['Runs']);
  expect(titles('runs', 'plans', 'some-plan')).toEqual(['Runs', 'Plans']);
  expect(titles('welcome')).toEqual([]);
});
