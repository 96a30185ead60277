/**
 * Makes a list of links one tab stop: arrows, Home and End move among them, Enter opens. Tab focuses the
 * current one, else the first. `open`: opens links as the focus moves.
 */
export const roving =
  (open = false) =>
  (list: HTMLElement): (() => void) => {
    const links = (): HTMLAnchorElement[] => [...list.querySelectorAll<HTMLAnchorElement>('a[href]')];
    const mark = (): void => {
      const all = links();
      const stop =
        all.find((each) => each === document.activeElement) ??
        all.find((each) => each.ariaCurrent !== null) ??
        all[0];
      for (const each of all) each.tabIndex = each === stop ? 0 : -1;
    };
    const keys = (event: KeyboardEvent): void => {
      const all = links();
      const at = all.findIndex((each) => each === document.activeElement);
      const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
      if (target === undefined || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = all.at(Math.min(all.length - 1, Math.max(0, target)));
      next?.focus();
      if (open) next?.click();
    };
    const watcher = new MutationObserver(mark);
    watcher.observe(list, { subtree: true, childList: true, attributeFilter: ['aria-current'] });
    list.addEventListener('keydown', keys);
    list.addEventListener('focusin', mark);
    list.addEventListener('focusout', mark);
    mark();
    return () => {
      watcher.disconnect();
      list.removeEventListener('keydown', keys);
      list.removeEventListener('focusin', mark);
      list.removeEventListener('focusout', mark);
    };
  };
