import { configure } from '@testing-library/svelte';

/** What a browser's page can do and jsdom's cannot: nothing is laid out, so there is nothing to scroll to. */
Element.prototype.scrollIntoView ??= () => undefined;

// a busy machine takes longer than a second
configure({ asyncUtilTimeout: 60_000 });
