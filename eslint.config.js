import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';

/** Components, and modules with runes. Oxlint looks at TypeScript (`.oxlintrc.json`), several times as fast. */
const components = ['**/*.svelte', '**/*.svelte.ts'];

export default ts.config(
  { ignores: ['dist', 'release', 'test-results', 'node_modules', '**/.svelte-check'] },
  // A rule that does not fit is changed here for everyone; nobody switches one off beside the code.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  { files: components, extends: [ts.configs.recommended, svelte.configs.recommended] },
  { files: components, languageOptions: { parserOptions: { parser: ts.parser } } },
  {
    files: components,
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'all' }],
      'no-console': ['error', { allow: ['warn', 'error'] }],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-var': 'error',
      'one-var': ['error', 'never'],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['**/*.svelte'],
    // What models and datasets wrote is shown as text, never as HTML. Props are declared with `let`, as
    // Svelte documents them; the plugin's own rule knows which of them may be const.
    rules: {
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
      'svelte/no-at-html-tags': 'error',
      'svelte/require-each-key': 'error',
      'no-undef': 'off',
    },
  },
);
