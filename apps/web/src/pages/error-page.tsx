import type { ErrorPage, Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';

export function Failure({ page: { status, title, message, requestId }, frame }: { page: ErrorPage; frame: Frame }) {
  const { base } = frame;
  return (
    <Document frame={frame} title={title} isHidden>
      <div class="wrap">
        <h1>{title}</h1>
        <p>{message}</p>
        <p>
          <a href={`${base}/`}>Start page</a> · <a href={`${base}/releases`}>Releases</a> ·{' '}
          <a href={`${base}/docs`}>API</a>
        </p>
        {status >= 500 && <p class="small muted">Reference {requestId}</p>}
      </div>
    </Document>
  );
}
