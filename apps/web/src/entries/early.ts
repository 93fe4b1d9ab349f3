/** Runs before anything is drawn, as a script of its own that the page waits for: the theme that was chosen, and that script runs. */
{
  const page = document.documentElement;
  page.dataset['script'] = '';
  const stored = (storage: () => Storage, key: string): string | null => {
    try {
      return storage().getItem(key);
    } catch {
      // Storage is switched off.
      return null;
    }
  };
  const theme = stored(() => localStorage, 'esd-theme');
  if (theme === 'light' || theme === 'dark') page.dataset['theme'] = theme;

  // While a release of the service rolls out, this copy may not have the files of a page that another one sent.
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
