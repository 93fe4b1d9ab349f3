import type { ComponentChildren } from 'preact';
import { type Description, oneLine } from '@esd/record/metadata/description';
import { metaTags } from '@esd/record/metadata/formats/meta-tags';
import { schemaOrg } from '@esd/record/metadata/formats/schema-org';
import type { ExplorePage } from '@esd/pages/explore-page';
import type { Frame, Page } from '@esd/pages/page';

// The build sets these paths below the base. They contain a hash of the content.
declare const STYLE_SHEET: string;
/** The files with the Latin letters of both typefaces, which every page needs. */
declare const FONTS: readonly string[];
declare const ICON: string;
declare const TOUCH_ICON: string;
/** The figure of the start page for social networks, which do not show SVG. */
declare const PREVIEW: string;
/** The script and its imports, by the name of the file in entries/. */
declare const SCRIPTS: Readonly<Record<string, readonly string[]>>;

const SECTIONS = [
  ['explore', '/explore', 'Explore'],
  ['releases', '/releases', 'Releases'],
  ['contribute', '/contribute', 'Contribute'],
] as const;

// Script shows these links if the browser has stored a sufficient role.
const STAFF = [
  ['moderate', 'MODERATOR', 'Moderate'],
  ['manage', 'ADMIN', 'Manage'],
] as const;

/** The backgrounds of pages, `--paper` in tokens.css. */
const THEME_COLORS = [
  ['light', '#fdfcf9'],
  ['dark', '#15171a'],
] as const;

/** The states of the theme button, see entries/early.ts. */
const THEMES = ['system', 'light', 'dark'] as const;

/** Pages that use the whole window. */
const WIDE: ReadonlySet<string | undefined> = new Set(['explore', 'moderate']);

const PREVIEW_SIZE = { width: 1200, height: 630 };
const SUMMARY =
  'Electrospinning experiments, open and citable: process settings, fiber measurements, and failed runs, with links to the source papers.';
const MAX_SUMMARY = 300;

/** The data of a page for script. The data of /explore are in `dataJson`. */
type LivePage = Page | Omit<ExplorePage, 'data' | 'dataJson'>;

interface Props {
  frame: Frame;
  title: string;
  /** One or two sentences for search engines and social networks. */
  summary?: string | undefined;
  /** The metadata of a page that can be cited. */
  about?: Description | undefined;
  /** The Atom feeds with the same content, as paths below the base. */
  feeds?: readonly { readonly title: string; readonly path: string }[];
  section?: (typeof SECTIONS)[number][0] | 'docs' | 'account' | 'moderate' | 'manage' | undefined;
  isHidden?: boolean;
  /** The id and the text of a second skip link. */
  skipTo?: readonly [id: string, text: string];
  /** The data with which script hydrates `children`; undefined for a static page. */
  live?: LivePage | undefined;
  /** The member `data` of that page as JSON, if the service has written it. */
  dataJson?: string | undefined;
  /** The optional script in entries/ of a static page. */
  script?: string;
  children: ComponentChildren;
}

export function Document(props: Props) {
  const { frame, title, about, feeds = [], section, isHidden, skipTo, live, dataJson, script, children } = props;
  const { base, root, address } = frame;
  const summary = shortened(props.summary ?? about?.description ?? SUMMARY);
  const name = 'Electrospinning Dataset';
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title === name ? name : `${title} · ${name}`}</title>
        <link rel="canonical" href={address} />
        {feeds.map((feed) => (
          <link
            key={feed.path}
            rel="alternate"
            type="application/atom+xml"
            title={feed.title}
            href={`${base}${feed.path}`}
          />
        ))}
        {isHidden === true && <meta name="robots" content="noindex" />}
        <meta name="description" content={summary} />
        {about && metaTags(about).map(([name, content]) => <meta key={name} name={name} content={content} />)}
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content={name} />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={summary} />
        <meta property="og:image" content={`${root}${PREVIEW}`} />
        <meta property="og:image:width" content={String(PREVIEW_SIZE.width)} />
        <meta property="og:image:height" content={String(PREVIEW_SIZE.height)} />
        <meta property="og:image:alt" content="Fiber diameters of the experiments by polymer, one dot per experiment" />
        <meta name="twitter:card" content="summary_large_image" />
        {THEME_COLORS.map(([scheme, color]) => (
          <meta
            key={scheme}
            name="theme-color"
            media={`(prefers-color-scheme: ${scheme})`}
            content={color}
            data-scheme={scheme}
          />
        ))}
        <link rel="icon" type="image/svg+xml" href={`${base}${ICON}`} />
        <link rel="apple-touch-icon" href={`${base}${TOUCH_ICON}`} />
        {FONTS.map((path) => (
          <link key={path} rel="preload" as="font" type="font/woff2" crossorigin="anonymous" href={`${base}${path}`} />
        ))}
        <link rel="stylesheet" href={`${base}${STYLE_SHEET}`} />
        <script src={`${base}${SCRIPTS['early']?.[0]}`} />
        <ModuleScripts
          base={base}
          names={['site', ...(live ? [live.kind] : []), ...(script === undefined ? [] : [script])]}
        />
        {about && <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: inScript(jsonLd(about)) }} />}
      </head>
      <body class={WIDE.has(live?.kind) ? 'wide' : undefined} {...viewed(about, base)}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {skipTo && (
          <a class="skip" href={`#${skipTo[0]}`}>
            {skipTo[1]}
          </a>
        )}
        <header class="top">
          <div>
            <a class="brand" href={`${base}/`}>
              {name}
            </a>
            <nav aria-label="Main">
              {SECTIONS.map(([name, path, label]) => (
                <a key={name} href={`${base}${path}`} aria-current={section === name ? 'page' : undefined}>
                  {label}
                </a>
              ))}
              <a href={`${base}/docs`} aria-current={section === 'docs' ? 'page' : undefined}>
                API
              </a>
            </nav>
            <nav aria-label="Account and appearance" class="end">
              {STAFF.map(([name, role, label]) => (
                <a
                  key={name}
                  href={`${base}/${name}`}
                  data-role={role}
                  hidden={section !== name}
                  aria-current={section === name ? 'page' : undefined}
                >
                  {label}
                </a>
              ))}
              <a href={`${base}/account`} data-account aria-current={section === 'account' ? 'page' : undefined}>
                Sign in
              </a>
              <button type="button" class="theme needs-script" data-theme-switch>
                {THEMES.map((theme) => (
                  <span key={theme} class={`as-${theme}`}>
                    Theme: {theme}
                  </span>
                ))}
              </button>
            </nav>
          </div>
        </header>
        <main id="main">{live ? <div id="app">{children}</div> : children}</main>
        <footer class="foot">
          <div>
            <a href={`${base}/release/latest`}>Latest dataset</a>
            <a href={`${base}/releases`}>Releases</a>
            <a href={`${base}/contributors`}>Contributors</a>
            <a href={`${base}/about`}>About</a>
            <a href={`${base}/data-dictionary`}>Data dictionary</a>
            <a href={`${base}/about#license`}>License</a>
            <a href={`${base}/privacy`}>Privacy</a>
            <a href={`${base}/docs`}>API</a>
            <a href={`${base}/status`}>Service status</a>
            <a href={`${base}/feedback`}>Give feedback</a>
          </div>
        </footer>
        {live && (
          <>
            <div id="notices" class="notices" />
            <script
              type="application/json"
              id="page"
              dangerouslySetInnerHTML={{ __html: inScript(hydrationJson(live, dataJson, frame)) }}
            />
          </>
        )}
      </body>
    </html>
  );
}

/** Returns the attributes with which script reports a page view: the release, and the record if there is one. */
function viewed(about: Description | undefined, base: string) {
  if (!about || about.kind === 'query') return {};
  const { version = 'latest' } = about;
  const view = about.kind === 'record' ? { version, recordId: about.recordId } : { version };
  return { 'data-view-to': `${base}/analytics/view`, 'data-view': JSON.stringify(view) };
}

function shortened(text: string): string {
  const line = oneLine(text);
  return line.length <= MAX_SUMMARY ? line : `${[...line].slice(0, MAX_SUMMARY - 1).join('')}…`;
}

function ModuleScripts({ base, names }: { base: string; names: readonly string[] }) {
  const files = names.map((name) => {
    const [script, ...imports] = SCRIPTS[name] ?? [];
    if (script === undefined) throw new Error(`The build has no script entries/${name}.`);
    return { script, imports };
  });
  return (
    <>
      {[...new Set(files.flatMap(({ imports }) => imports))].map((path) => (
        <link key={path} rel="modulepreload" href={`${base}${path}`} />
      ))}
      {files.map(({ script }) => (
        <script key={script} type="module" src={`${base}${script}`} />
      ))}
    </>
  );
}

// The linked metadata contain the whole list.
const MAX_PAPERS = 100;

function jsonLd(about: Description): string {
  return schemaOrg({ ...about, papers: about.papers.slice(0, MAX_PAPERS) });
}

/** Returns the JSON that `hydratePage` reads. */
function hydrationJson(live: LivePage, dataJson: string | undefined, frame: Frame): string {
  const page = JSON.stringify(live);
  return `{"frame":${JSON.stringify(frame)},"page":${dataJson === undefined ? page : `${page.slice(0, -1)},"data":${dataJson}}`}}`;
}

const ESCAPED = /[<>&\u2028\u2029]/g;

/** Escapes JSON so that it cannot end the script element around it. */
function inScript(json: string): string {
  return json.replaceAll(ESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
