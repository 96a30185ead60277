/** The page's address in the desktop window. */
export const pageOrigin = 'app://whetstone';

/** True if an address is the page itself: the only one that a window may show and accept messages from. */
export function isPage(address: string): boolean {
  if (!URL.canParse(address)) return false;
  // `origin` is 'null' for schemes unknown to browsers, so its parts are compared
  const { protocol, host, username, password } = new URL(address);
  return `${protocol}//${host}` === pageOrigin && username === '' && password === '';
}
