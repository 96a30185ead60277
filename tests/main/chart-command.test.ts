/** The command `chart`: a behaviour is checked before it is trained with. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';

const gap = 'gap to the first car';
const chart = {
  name: 'overtake',
  states: [
    { name: 'behind', when: [{ value: gap, is: '>', than: 0 }] },
    { name: 'ahead', when: [{ value: gap, is: '<', than: 0 }] },
  ],
  order: ['behind', 'ahead'],
};
const check = (given: object, ...flags: string[]) => {
  const path = join(temporaryFolder(), 'chart.json');
  writeFileSync(path, JSON.stringify(given));
  return cli('chart', path, '--starts', '1', ...flags);
};

it('prints the fewest actions of a chart without faults', async () => {
  const { code, out } = await check(chart);
  expect(code).toBe(0);
  expect(out).toMatch(/^No fault was found\.\nThe fewest actions: \w+(, \w+)*\.$/m);
  expect(out).toMatch(
    /\.\nIn words: .*; the order is complete\.\n\d+ situations .*all that they lead to\.$/m,
  );
});

it('fails with the faults of one that has some', async () => {
  const faulty = {
    ...chart,
    states: [...chart.states, { name: 'fast', when: [{ value: 'speed', is: '>', than: 9 }] }],
  };
  const found = await check({ ...faulty, order: ['behind', 'fast'] }, '--json');
  expect(found.code).toBe(1);
  expect(found.value).toMatchObject({ faults: [{ kind: 'unreachable', state: 'fast' }], example: null });
});

it('names the field of a chart that is none, and an unknown world', async () => {
  expect((await check({ ...chart, order: ['past'] }, '--json')).value).toMatchObject({
    error: { kind: 'invalid-input', where: 'order.0' },
  });
  expect((await check(chart, '--world', 'control/sea', '--json')).value).toMatchObject({
    error: { kind: 'invalid-input', where: '--world' },
  });
});

it('reads one from an editor of Windows, with names in other letters', async () => {
  const path = join(temporaryFolder(), 'chart.json');
  const states = [{ name: 'links überholt', when: [{ value: 'lane', is: '=', than: 0 }] }];
  const text = JSON.stringify({ name: 'Überholen', states, order: ['links überholt'] });
  writeFileSync(path, `\uFEFF${text}\r\n`);
  const { code, value } = await cli('chart', path, '--starts', '1', '--json');
  expect(code).toBe(0);
  expect(value).toMatchObject({ chart: 'Überholen', faults: [] });
});
