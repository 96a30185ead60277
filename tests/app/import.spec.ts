import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, previewPath, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

test.describe('importing a file', () => {
  const workbench = new Workbench();
  test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
  test.afterAll(() => workbench.remove());

  test('shows the use of every column before storing anything, and the kept columns on each row', async ({
    page,
  }) => {
    const complaints = await watch(page);
    const path = join(workbench.folder, 'answers.jsonl');
    writeFileSync(
      path,
      [
        {
          prompt: 'Two and two?',
          completion: 'four',
          label: true,
          score: 0.75,
          meta: { by: 'Ann' },
          note: null,
        },
        { prompt: 'Two and two?', completion: 'five', label: false, score: 0.25, note: null },
        { prompt: 'Two and two?', completion: '', label: false },
      ]
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    await page.goto(workbench.url);
    await previewPath(page, path);
    const cells = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
    await expect(
      page.getByText(
        'Nothing is stored yet. 2 answers to 1 prompt: 1 right, 1 wrong, 0 not marked; 1 preference pair.',
      ),
    ).toBeVisible();
    await expect(cells('label')).toContainText('used as right or wrong');
    await expect(cells('score')).toContainText('kept with the row');
    await expect(cells('note')).toContainText('left out: empty in every record');
    await expect(page.getByText('An import leaves them out and lists them with the dataset.')).toBeVisible();
    await expect(page.getByRole('row', { name: /^3 has nothing in "completion"/ })).toBeVisible();
    await look(page, 'import-look');

    await expect(
      page.getByRole('button', { name: 'Import the 2 good lines' }),
      'Enter confirms the preview',
    ).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('tab', { name: 'Doctor' })).toHaveAttribute('aria-selected', 'true');
    await expect(cells('meta')).toContainText('kept with the row');
    await expect(page.getByRole('row', { name: /^3 has nothing in "completion"/ })).toBeVisible();
    await page.getByRole('tab', { name: /Rows/ }).click();
    await page.getByRole('listbox', { name: 'Rows' }).focus();
    await page.keyboard.press('Home');
    await expect(page.getByRole('heading', { name: 'Other columns' })).toBeVisible();
    await expect(page.getByText('From line 1 of the file.')).toBeVisible();
    await expect(page.getByRole('definition').filter({ hasText: '0.75' })).toBeVisible();
    await expect(page.getByRole('definition').filter({ hasText: '"by": "Ann"' })).toBeVisible();
    await look(page, 'import-beside-the-row');
    expect(complaints).toEqual([]);
  });

  test('clears the preview of one file when another path is entered', async ({ page }) => {
    const [first, second] = ['first', 'second'].map((name) => join(workbench.folder, `${name}.jsonl`));
    writeFileSync(first, '{"prompt": "p", "answer": "a"}');
    writeFileSync(second, '{\n"prompt": "p",\n"grade": 1\n}');
    await page.goto(workbench.url);
    const path = page.getByLabel('Path', { exact: true });
    await previewPath(page, first);
    await expect(page.getByRole('button', { name: 'Import 1 record' })).toBeVisible();
    await path.fill(second);
    await expect(page.getByRole('button', { name: /^Import \d/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByRole('alert')).toContainText(
      'It looks as if one object goes over several lines. Write one object a line, or put the objects in a list ([…]).',
    );
    await look(page, 'import-hint');
  });
});
