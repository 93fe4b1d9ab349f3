import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import { fileFormats } from '@esd/record/catalog/file-formats';
import type { References } from '@esd/record/reference/reference';
import type { ReferenceLists } from '@esd/dataset-client/reference-lists';

interface Template {
  bytes: Buffer;
  /** The opaque part of the entity tag. */
  tag: string;
}

/**
 * Implements GET /data/template.xlsx: the empty workbook for parse-excel, built once per revision of the reference
 * lists.
 */
export function templateFile(lists: Pick<ReferenceLists, 'refresh'>) {
  let built: { references: References; template: Promise<Template> } | undefined;
  return async (
    { requestId, signal }: { requestId: string; signal: AbortSignal },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { references } = await lists.refresh({ requestId, signal });
    if (built?.references !== references) {
      const template = build(references);
      built = { references, template };
      template.catch(() => {
        if (built?.template === template) built = undefined;
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
      'Content-Disposition': 'attachment; filename="electrospinning-dataset-template.xlsx"',
    });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  };
}

async function build(references: References): Promise<Template> {
  // Loaded on demand, because exceljs loads slowly.
  const { buildTemplate } = await import('./build-template.ts');
  const bytes = await buildTemplate(references);
  return { bytes, tag: createHash('sha256').update(bytes).digest('hex').slice(0, 20) };
}
