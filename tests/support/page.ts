import { configure } from '@testing-library/svelte';

/** What a browser's page can do and jsdom's cannot: nothing is laid out, so there is nothing to scroll to. */
Element.prototype.scrollIntoView ??= () => undefined;

// a busy machine takes longer than a second
configure({ asyncUtilTimeout: 60_000 });

// jsdom has no media queries; charts ask for the density of the screen when they are loaded
window.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: false,
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  });
