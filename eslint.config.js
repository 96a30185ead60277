import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';

const typed = ['engine/**/*.ts', 'main/**/*.ts', 'preload/**/*.ts', 'tests/**/*.ts', 'renderer/**/*.ts'];
const untypedInProjects = ['tests/renderer/**', 'renderer/**/*.svelte.ts', '**/must-not-compile.ts'];

const ours = {
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
  'prefer-const': ['error', { destructuring: 'all' }],
  eqeqeq: ['error', 'always', { null: 'ignore' }],
};

export default ts.config(
  { ignores: ['dist', 'release', 'test-results', 'node_modules'] },
  // A rule that does not fit is changed here for everyone; nobody switches one off beside the code.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { files: ['**/*.ts', '**/*.svelte'], rules: ours },
  {
    files: typed,
    ignores: untypedInProjects,
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser } } },
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
  {
    files: ['engine/**/*.ts'],
    // A run is repeated from its record: whatever is drawn comes from a counter-based generator.
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Draw from engine/random/random.ts.' },
      ],
    },
  },
  {
    files: ['main/cli.ts', 'main/checkout/**', 'tests/run.ts', 'tests/run/**', 'tests/bench/**'],
    rules: { 'no-console': 'off' },
  },
);
