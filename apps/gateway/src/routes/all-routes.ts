import { openReferenceLists } from '@esd/dataset-client/reference-lists';
import type { Readiness } from '@esd/service/health/readiness';
import type { DatasetFacts, OperatorFacts } from '@esd/record/metadata/dataset-facts';
import type { GatewayConfig } from '../config.ts';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { publicQueries } from '../dataset/public-queries.ts';
import { releases } from '../dataset/releases.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import type { Route } from '../http/route.ts';
import { analyses } from '../reads/analyses.ts';
import { publicRoot } from '../http/public-url.ts';
import { fixedPages, htmlPages } from '../cache/html-pages.ts';
import type { PageCache } from '../cache/page-cache.ts';
import { recordPages } from '../reads/record-pages.ts';
import { recordReads } from '../reads/record-reads.ts';
import { descriptions } from '../metadata/descriptions.ts';
import type { WebBundle } from '../pages/web-bundle.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { adminAccountRoutes } from './admin/accounts.ts';
import { adminAuditRoutes } from './admin/audit.ts';
import { metadataChangeRoutes } from './admin/metadata.ts';
import { adminPublicationRoutes } from './admin/publication.ts';
import { adminSubmissionRoutes } from './admin/submissions.ts';
import { adminStatusRoutes } from './admin/status.ts';
import { adminReleaseRoutes } from './admin/releases.ts';
import { analyticsRoutes } from './analytics.ts';
import { adminCreateRoutes } from './auth/admin-create.ts';
import { loginRoutes } from './auth/login.ts';
import { passwordRoutes } from './auth/password.ts';
import { profileRoutes } from './auth/profile.ts';
import { registerRoutes } from './auth/register.ts';
import { sessionRoutes } from './auth/sessions.ts';
import { tokenRoutes } from './auth/tokens.ts';
import { twoFactorRoutes } from './auth/two-factor.ts';
import { verifyEmailRoutes } from './auth/verify-email.ts';
import { cacheDownloadRoutes } from './cache/download.ts';
import { contributorRoutes } from './contributors.ts';
import { ownDataRoutes } from './data/my-records.ts';
import { parseExcelRoutes } from './data/parse-excel.ts';
import { statusRoutes } from './data/statuses.ts';
import { submitRoutes } from './data/submit.ts';
import { experimentImageRoutes } from './experiments.ts';
import { feedbackRoutes } from './feedback/feedback.ts';
import { feedRoutes } from './feeds.ts';
import { fileRoutes } from './files.ts';
import { healthRoutes } from './health.ts';
import { imageRoutes } from './images.ts';
import { mcpRoutes } from './mcp/mcp.ts';
import { metadataFeatureRoutes } from './metadata/features.ts';
import { metadataRoutes } from './metadata/read.ts';
import { paperListRoutes } from './metadata/papers.ts';
import { metadataWriteRoutes } from './metadata/write.ts';
import { recordMessageRoutes } from './data/record-messages.ts';
import { profileExportRoutes } from './auth/profile-export.ts';
import { metadataUseRoutes } from './metadata/use.ts';
import { decisionRoutes } from './moderation/decisions.ts';
import { approveRejectRoutes } from './moderation/approve-reject.ts';
import { moderationQueueRoutes } from './moderation/queue.ts';
import { moderationRecordRoutes } from './moderation/records.ts';
import { moderationSubmissionRoutes } from './moderation/submissions.ts';
import { moderationWithdrawRoutes } from './moderation/withdraw.ts';
import { openApiRoute } from './openapi.json.ts';
import { isDescribed, openApiDocument } from '../openapi/openapi-document.ts';
import { aboutPageRoutes } from './pages/about.ts';
import { accountPageRoutes } from './pages/account.ts';
import { assetRoutes } from './pages/assets.ts';
import { explorePageRoutes } from './pages/explore.ts';
import { feedbackPageRoutes } from './pages/feedback.ts';
import { crawlerRoutes } from './pages/crawlers.ts';
import { contributePageRoutes } from './pages/contribute.ts';
import { dataDictionaryRoutes } from './pages/data-dictionary.ts';
import { docsPageRoutes } from './pages/docs.ts';
import { llmsTxtRoutes } from './pages/llms-txt.ts';
import { paperPageRoutes } from './pages/paper.ts';
import { queryPageRoutes } from './pages/query.ts';
import { recordPageRoutes } from './pages/record.ts';
import { releasePageRoutes } from './pages/releases.ts';
import { searchPageRoutes } from './pages/search.ts';
import { staffPageRoutes } from './pages/staff.ts';
import { statusPageRoutes } from './pages/status.ts';
import { exploreRoutes } from './public/dataset-explore.ts';
import { publicDatasetRoutes } from './public/dataset.ts';
import { metadataOfDatasetRoutes } from './public/dataset-metadata.ts';
import { publicRecordRoutes } from './public/dataset-record.ts';
import { releaseRoutes } from './public/dataset-releases.ts';
import { papersRoutes } from './public/papers.ts';
import { publicQueryRoutes } from './public/queries.ts';
import { readyRoutes } from './ready.ts';
import { rootRoutes } from './root.ts';
import { browserSessionRoutes } from './session.ts';
import { snapshotRoutes } from './snapshots.ts';
import { jwksRoutes } from './well-known/jwks.ts';
import { securityTxtRoutes } from './well-known/security-txt.ts';

interface Sources {
  config: GatewayConfig;
  upstream: Upstream;
  readiness: Readiness;
  web: WebBundle;
  states: DatasetStates;
  cache: PageCache;
  limits: RateLimits;
  /** The metadata of the latest dataset. */
  facts: DatasetFacts;
  operator: OperatorFacts;
}

/** Returns all routes. If several paths match a request, the first route handles it. */
export function allRoutes({
  config,
  upstream,
  readiness,
  web,
  states,
  cache,
  limits,
  facts,
  operator,
}: Sources): Route[] {
  const releasesByName = releases(upstream.releases, states);
  const htmlCache = htmlPages(cache, states, releasesByName);
  const pages = recordPages(upstream.dataset, states, cache);
  const records = recordReads(states, releasesByName, upstream, cache);
  const queries = publicQueries(upstream.queries, states);
  const lists = openReferenceLists(upstream.reference);
  const answer = analyses(upstream.dataset, states, cache, limits);
  const described = descriptions({ upstream, states, queries, facts, root: publicRoot(config.ESD_PUBLIC_URL) });
  const openApi = (): object => openApiDocument(routes.filter(isDescribed));
  const latest = { pages: htmlCache, states, releases: releasesByName, facts };
  const routes: Route[] = [
    ...rootRoutes(web, states, upstream, described, config),
    ...assetRoutes(web),
    ...releasePageRoutes(web, htmlCache, states, described, upstream),
    ...recordPageRoutes(web, htmlCache, states, described, upstream),
    ...searchPageRoutes(web, upstream, lists),
    ...staffPageRoutes(web),
    ...accountPageRoutes(web),
    ...contributePageRoutes(web, upstream, lists),
    ...explorePageRoutes(web, htmlCache, {
      states,
      releases: releasesByName,
      descriptions: described,
      dataset: upstream.dataset,
      lists,
    }),
    ...dataDictionaryRoutes(web, htmlCache, states, upstream),
    ...aboutPageRoutes(web, htmlCache, { states, descriptions: described, upstream, facts, operator }),
    ...paperPageRoutes(web, htmlCache, states, upstream),
    ...queryPageRoutes(web, htmlCache, { states, queries, descriptions: described, upstream }),
    ...crawlerRoutes(states, upstream),
    ...docsPageRoutes(web, fixedPages(cache), openApi),
    ...statusPageRoutes(web, readiness, states, releasesByName),
    ...llmsTxtRoutes({ ...latest, dataset: upstream.dataset }),
    ...feedRoutes({ ...latest, renderer: web, dataset: upstream.dataset }),
    ...healthRoutes(),
    ...readyRoutes(readiness),
    ...fileRoutes(states, releasesByName, upstream, limits),
    // Before /public/dataset/{version}, which also matches these paths.
    ...releaseRoutes(states, releasesByName, upstream),
    ...exploreRoutes(answer, releasesByName),
    ...papersRoutes({ answer, states, releases: releasesByName, queries, upstream, limits }),
    ...metadataOfDatasetRoutes(described),
    ...mcpRoutes({
      analyses: answer,
      records,
      descriptions: described,
      releases: releasesByName,
      states,
      upstream,
      facts,
    }),
    ...publicRecordRoutes(records, releasesByName),
    ...publicDatasetRoutes(pages, states, releasesByName, upstream),
    ...publicQueryRoutes(pages, states, queries, upstream),
    ...adminReleaseRoutes(releasesByName, upstream),
    ...snapshotRoutes(pages, states, upstream),
    ...cacheDownloadRoutes(states, upstream),
    ...analyticsRoutes(releasesByName, upstream),
    ...metadataRoutes(upstream),
    ...metadataFeatureRoutes(answer),
    ...paperListRoutes(upstream, states),
    ...metadataWriteRoutes(upstream, states),
    ...metadataChangeRoutes(upstream),
    ...adminCreateRoutes(upstream),
    ...loginRoutes(upstream),
    ...browserSessionRoutes(upstream, config, limits),
    ...profileRoutes(upstream),
    ...registerRoutes(upstream),
    ...verifyEmailRoutes(upstream, web),
    ...passwordRoutes(upstream, web),
    ...sessionRoutes(upstream),
    ...jwksRoutes(upstream),
    ...twoFactorRoutes(upstream),
    ...tokenRoutes(upstream),
    ...adminAccountRoutes(upstream),
    ...adminAuditRoutes(upstream),
    ...adminStatusRoutes(readiness, upstream),
    ...adminPublicationRoutes(upstream),
    ...statusRoutes(),
    ...submitRoutes(upstream),
    ...parseExcelRoutes(upstream),
    ...ownDataRoutes(upstream),
    ...experimentImageRoutes(upstream),
    ...imageRoutes(upstream),
    ...recordMessageRoutes(upstream),
    ...profileExportRoutes(upstream),
    ...metadataUseRoutes(upstream),
    ...decisionRoutes(upstream),
    ...moderationQueueRoutes(upstream),
    ...moderationSubmissionRoutes(upstream),
    ...moderationRecordRoutes(upstream),
    ...approveRejectRoutes(upstream),
    ...moderationWithdrawRoutes(upstream),
    ...adminSubmissionRoutes(upstream),
    ...contributorRoutes(web, upstream),
    // Before the list for administrators at the same URL.
    ...feedbackPageRoutes(web),
    ...feedbackRoutes(upstream),
    ...securityTxtRoutes(config),
    openApiRoute(fixedPages(cache), openApi),
  ];
  return routes;
}
