/** The current view's title for the breadcrumbs, and its own keys for the help. */
class Page {
  title = $state('');
  keys = $state.raw<readonly (readonly [string, string])[]>([]);
}
export const page = new Page();
