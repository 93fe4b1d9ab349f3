import type { ErrorPage, Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { SearchBox } from '../parts/search-box.tsx';

export function Failure({ page, frame }: { page: ErrorPage; frame: Frame }) {
  const { base } = frame;
  const { status, title, message, missing, requestId } = page;
  return (
    <Document frame={frame} title={title} isHidden>
      <div class="wrap">
        <h1>{title}</h1>
        {message !== undefined && <p>{message}</p>}
        {missing && (
          <>
            <p>
              There is no page at <code class="hash">{missing.address}</code>. Search, or start at{' '}
              <a href={`${base}/explore`}>Explore</a>.
            </p>
            <SearchBox base={base} text={missing.search} />
          </>
        )}
        <p>
          <a href={`${base}/explore`}>Explore</a> · <a href={`${base}/releases`}>Releases</a> ·{' '}
          <a href={`${base}/docs`}>API</a>
        </p>
        {status >= 500 && <p class="small muted">Reference {requestId}</p>}
      </div>
    </Document>
  );
}
