import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import { fileFormats } from '@esd/record/catalog/file-formats';
import type { References } from '@esd/record/reference/reference';
import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import type { TemplateHeadings } from './build-template.ts';

interface Template {
  bytes: Buffer;
  /** The opaque part of the entity tag. */
  tag: string;
}

/**
 * Implements GET /data/template.xlsx: the workbook for parse-excel, or the one with plain headings. Each is built once
 * per revision of the reference lists.
 */
export function templateFile(lists: Pick<ReferenceLists, 'refresh'>) {
  const builds = new Map<TemplateHeadings, { references: References; template: Promise<Template> }>();
  return async (
    { requestId, signal, query }: { requestId: string; signal: AbortSignal; query: URLSearchParams },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { references } = await lists.refresh({ requestId, signal });
    const headings = query.get('headings') === 'plain' ? 'plain' : 'names';
    let built = builds.get(headings);
    if (built?.references !== references) {
      const template = build(references, headings);
      built = { references, template };
      builds.set(headings, built);
      template.catch(() => {
        if (builds.get(headings)?.template === template) builds.delete(headings);
      });
    }
    const { bytes, tag } = await built.template;
    response.setHeader('ETag', `"${tag}"`);
    response.setHeader('Cache-Control', 'no-cache');
    if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': fileFormats.xlsx.mediaType,
      'Content-Length': bytes.length,
      'Content-Disposition': `attachment; filename="electrospinning-dataset-template${headings === 'plain' ? '-plain' : ''}.xlsx"`,
    });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  };
}

async function build(references: References, headings: TemplateHeadings): Promise<Template> {
  // Loaded on demand, because exceljs loads slowly.
  const { buildTemplate } = await import('./build-template.ts');
  const bytes = await buildTemplate(references, headings);
  return { bytes, tag: createHash('sha256').update(bytes).digest('hex').slice(0, 20) };
}
