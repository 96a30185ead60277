import { configure } from '@testing-library/svelte';

/** Browser functions that jsdom lacks: without layout there is nothing to scroll to. */
Element.prototype.scrollIntoView ??= () => undefined;

/** jsdom has no layout, so no element ever changes its size. */
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

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

/**
 * Labels of a control, in the order of the page, as a browser finds them. jsdom walks the whole document for each
 * label of each control, which is most of the time of queries by label in a long form.
 */
const labelable = [
  HTMLButtonElement,
  HTMLInputElement,
  HTMLMeterElement,
  HTMLOutputElement,
  HTMLProgressElement,
  HTMLSelectElement,
  HTMLTextAreaElement,
];
const isLabelable = (element: Element): boolean =>
  labelable.some((kind) => element instanceof kind) &&
  !(element instanceof HTMLInputElement && element.type === 'hidden');

let labelsById: Map<string, HTMLLabelElement[]> | undefined;
const changes = new MutationObserver(() => {
  labelsById = undefined;
});
changes.observe(document, { subtree: true, childList: true, attributeFilter: ['for'] });

const labelsFor = (id: string): readonly HTMLLabelElement[] => {
  // what changed since the last task has not reached the observer
  if (changes.takeRecords().length > 0) labelsById = undefined;
  labelsById ??= Map.groupBy(document.getElementsByTagName('label'), (label) => label.htmlFor);
  return labelsById.get(id) ?? [];
};
const labelAround = (control: HTMLElement): HTMLLabelElement[] => {
  for (let above = control.parentElement; above; above = above.parentElement)
    if (above instanceof HTMLLabelElement)
      return !above.hasAttribute('for') && [...above.getElementsByTagName('*')].find(isLabelable) === control
        ? [above]
        : [];
  return [];
};

for (const { prototype } of labelable)
  Object.defineProperty(prototype, 'labels', {
    configurable: true,
    get(this: HTMLElement) {
      if (!isLabelable(this)) return null;
      const { id } = this;
      const named = id !== '' && document.getElementById(id) === this ? labelsFor(id) : [];
      return [...named, ...labelAround(this)].sort((a, b) =>
        a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
      );
    },
  });
