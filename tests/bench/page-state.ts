/**
 * Lets Node load the page's state classes (`*.svelte.ts`), compiled as for a browser: a benchmark then runs
 * the page's own code.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileModule } from 'svelte/compiler';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.svelte.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const { js } = compileModule(stripTypeScriptTypes(readFileSync(filename, 'utf8')), {
      filename,
      generate: 'client',
    });
    return { format: 'module', source: js.code, shortCircuit: true };
  },
});
