import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { plantedFile } from '../support/planted-rows.ts';
import { importPath, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(async () => {
  writeFileSync(join(workbench.folder, 'planted.jsonl'), plantedFile);
  await workbench.command('import', join(workbench.folder, 'first.jsonl')).catch(() => undefined);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());
