/** A blocking script that runs before the first paint. It applies the stored theme and marks the page as scripted. */
{
  const page = document.documentElement;
  page.dataset['script'] = '';
  const stored = (storage: () => Storage, key: string): string | null => {
    try {
      return storage().getItem(key);
    } catch {
      // Storage is disabled.
      return null;
    }
  };
  const theme = stored(() => localStorage, 'esd-theme');
  if (theme === 'light' || theme === 'dark') page.dataset['theme'] = theme;

  // During a rollout, this replica may lack the assets of a page that another replica sent. The page then reloads once.
  const RELOADED = 'esd-reloaded';
  addEventListener(
    'error',
    ({ target }) => {
      const address =
        target instanceof HTMLScriptElement ? target.src : target instanceof HTMLLinkElement ? target.href : '';
      if (!address.includes('/assets/') || stored(() => sessionStorage, RELOADED) === location.href) return;
      try {
        sessionStorage.setItem(RELOADED, location.href);
      } catch {
        return;
      }
      location.reload();
    },
    true,
  );
}
