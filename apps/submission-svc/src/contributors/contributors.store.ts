import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../tables.ts';

export interface PublicContributor {
  name: string;
  affiliation: string | null;
  orcid: string | null;
  publishedRecords: number;
}

const MAX_CONTRIBUTORS = 5_000;

/** Returns the SQL key of a contributor: the account, or else the name (ignoring case and spaces) with the ORCID iD. */
export const contributorOf = (owner: RawBuilder<unknown>, userMetadata: RawBuilder<unknown>) => sql<string>`coalesce(
  ${owner}::text,
  lower(regexp_replace(${userMetadata} ->> 'name', '\\s+', ' ', 'g')) || '/' || coalesce(${userMetadata} ->> 'orcid', '')
)`;

/**
 * Lists at most 5,000 contributors who agreed to be named, ordered by their number of published records. The newest
 * submission with `showPublicly` decides, so that a later `false` hides the contributor; without an account, only
 * submissions with a published record count. Name, affiliation, and ORCID iD are those of the newest submission with a
 * published record, a name, and `showPublicly: true`.
 */
export async function findContributors(database: Kysely<Tables>): Promise<PublicContributor[]> {
  const { rows } = await sql<PublicContributor>`
    with choice as (
      select submitter.submission_id, submission.owner_account_id,
        (submitter.user_metadata ->> 'showPublicly')::boolean as shown,
        submitter.user_metadata ->> 'name' as name,
        submitter.user_metadata ->> 'affiliation' as affiliation,
        submitter.user_metadata ->> 'orcid' as orcid,
        ${contributorOf(sql`submission.owner_account_id`, sql`submitter.user_metadata`)} as contributor,
        (
          select count(*) from record
          where record.submission_id = submitter.submission_id and record.published_revision is not null
        ) as published
      from submitter
      join submission on submission.id = submitter.submission_id
      where (submitter.user_metadata ->> 'showPublicly') is not null
    ), named as (
      select choice.* from choice
      where owner_account_id is not null or published > 0
    ), ranked as (
      select named.*,
        first_value(shown) over (partition by contributor order by submission_id desc) as decision,
        sum(published) filter (where shown) over (partition by contributor) as total,
        row_number() over (
          partition by contributor
          order by (shown and published > 0 and name is not null) desc, submission_id desc
        ) as rank
      from named
    )
    select name, affiliation, orcid, total::bigint as "publishedRecords"
    from ranked
    where rank = 1 and decision and shown and published > 0 and name is not null
    order by total desc, lower(name), contributor
    limit ${MAX_CONTRIBUTORS}`.execute(database);
  return rows;
}
