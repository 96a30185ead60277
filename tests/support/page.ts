/** What a browser's page can do and jsdom's cannot: nothing is laid out, so there is nothing to scroll to. */
Element.prototype.scrollIntoView ??= () => undefined;
