/** A blocking script that runs before the first paint: theme, mark of a scripted page, reload without assets. It has no imports. */
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
  const THEME = 'esd-theme';
  const schemes = [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')];
  /** Applies a theme to the page and to the bars of the browser; without one, the setting of the system applies. */
  const showTheme = (theme: string | null): void => {
    const isSet = theme === 'light' || theme === 'dark';
    if (isSet) page.dataset['theme'] = theme;
    else delete page.dataset['theme'];
    for (const meta of schemes) {
      const { scheme = '' } = meta.dataset;
      meta.media = !isSet ? `(prefers-color-scheme: ${scheme})` : scheme === theme ? 'all' : 'not all';
    }
  };
  showTheme(stored(() => localStorage, THEME));
  addEventListener('storage', ({ key, newValue }) => {
    if (key === THEME) showTheme(newValue);
  });
  addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || !target.closest('[data-theme-switch]')) return;
    const { theme } = page.dataset;
    const next = theme === undefined ? 'light' : theme === 'light' ? 'dark' : null;
    showTheme(next);
    try {
      if (next === null) localStorage.removeItem(THEME);
      else localStorage.setItem(THEME, next);
    } catch {
      // Storage is disabled: the theme applies to this page only.
    }
  });

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
