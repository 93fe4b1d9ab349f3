import type { Frame, PrivacyPage, Retention } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { countText } from '../format.ts';
import { Operator, OperatorSections } from '../parts/operator.tsx';

interface Stored {
  readonly title: string;
  readonly data: string;
  readonly purpose: string;
  readonly period: string;
  readonly erasure: string;
}

/** `/privacy`: the personal data that this service stores. The periods are the settings of its services. */
export function Privacy({ page: { facts, operator, retention }, frame }: { page: PrivacyPage; frame: Frame }) {
  const { base } = frame;
  return (
    <Document
      frame={frame}
      title="Privacy"
      summary="This page lists the personal data that this service stores, with the purpose, the period in days, and the erasure."
    >
      <div class="wrap sections">
        <h1>Privacy</h1>
        <p class="lede">
          This page lists the personal data that this service stores, why, for how long, and how it is erased.
        </p>
        <p class="prose">
          Reading, searching, and downloading require no account and set no cookie. The pages load nothing from other
          sites and contain no advertising and no third-party analytics.
        </p>
        <section aria-labelledby="responsible">
          <h2 id="responsible">Who is responsible</h2>
          <Operator operator={operator} facts={facts} />
        </section>
        <section aria-labelledby="your-choices">
          <h2 id="your-choices">What you can do</h2>
          <ul class="choices prose">
            <li>
              With an account: <a href={`${base}/account`}>your account</a> shows your sessions, downloads everything
              that is stored about you as one file, and deletes the account.
            </li>
            <li>
              Without an account: write to the address above. An administrator can erase the sender of a submission and
              delete feedback.
            </li>
            <li>
              To correct the name of an author or a paper, <a href={`${base}/feedback`}>send feedback</a>.
            </li>
          </ul>
        </section>
        {storedData(retention).map(({ title, data, purpose, period, erasure }, at) => (
          <section key={title} aria-labelledby={`stored-${at}`}>
            <h2 id={`stored-${at}`}>{title}</h2>
            <dl class="facts wide">
              {(
                [
                  ['Data', data],
                  ['Purpose', purpose],
                  ['Stored for', period],
                  ['Erased by', erasure],
                ] as const
              ).map(([name, text]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd class="prose">{text}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section aria-labelledby="backups">
          <h2 id="backups">Backups and other logs</h2>
          <p class="prose">
            Backups of the databases retain what they contain until the operator deletes them. A proxy, hosting
            provider, or mail server of the operator can log network addresses; such logs are outside this service.
          </p>
        </section>
        <OperatorSections sections={operator.privacy} />
      </div>
    </Document>
  );
}

function daysText(days: number): string {
  return countText(days, 'day');
}

function storedData({ accounts, submissions, images }: Retention): readonly Stored[] {
  const { rejectedDays, submitterDays, feedbackDays, originDays } = submissions;
  return [
    {
      title: 'Account and email address',
      data: 'Email address, name, ORCID iD if you enter one, role, time of registration, and a hash of the password (Argon2id). Personal access tokens: name, times of creation, expiry, and last use, and a hash. With two-factor sign-in: the encrypted secret of your authenticator and hashes of the recovery codes. Personal snapshots that you save. The time and kind of each action on the account, and of the decisions of moderators and administrators, with the random identifier of the account.',
      purpose: 'To sign you in, to show you your own submissions, and to write to you about them.',
      period: `Until you delete the account. An account whose email address is not verified is deleted ${daysText(accounts.unverifiedAccountDays)} after its registration or its last mail.`,
      erasure:
        'Deleting the account erases all of this. Records that were never approved are deleted with their images and messages. Published records remain in the dataset, without a link to you. The audit trail retains the random identifier of the account, without name or address.',
    },
    {
      title: 'Sessions and the cookie',
      data: 'For each sign-in: its time, the network where it began (the first 24 bits of an IPv4 address, 48 bits of an IPv6 address), the first 120 characters of the name of your browser, and hashes of the tokens. After a sign-in in the browser, one cookie contains the token that continues the session. No script and no other site can read it, and it is used for nothing else.',
      purpose:
        'To continue your session, to show you your sessions, and to warn you by mail about a sign-in from a new network.',
      period: `A session ends ${accounts.sessionHours} hours after its last use, or ${daysText(accounts.rememberedSessionDays)} if you chose to stay signed in. In any case, it ends ${daysText(accounts.sessionDays)} after the sign-in. Its entry is deleted ${daysText(accounts.endedSessionDays)} after it expired. The cookie ends with the browser, or with the session if you chose to stay signed in.`,
      erasure: 'Signing out ends a session. Deleting the account deletes all of them.',
    },
    {
      title: 'Storage in your browser',
      data: 'The theme, the units that you chose, unsent drafts of experiments and feedback, whether and with which role you are signed in, how many messages wait for you, and settings of pages.',
      purpose: 'To restore the page as you left it. Scripts send drafts only when you submit them.',
      period: 'Until you send or delete the draft, or clear the data of this site in your browser.',
      erasure: 'You, in your browser.',
    },
    {
      title: 'Network addresses',
      data: 'The audit trail stores the address of each action on accounts, such as a sign-in or a wrong password. A hash of your email address and network address recognizes your own devices while someone guesses your password; another one counts wrong passwords. Submissions and feedback without an account have a keyed hash of their network. Uploaded images have the address of their sender (IPv6: the /64 network). Public queries have a salted hash that changes daily. Counts of requests exist only in memory.',
      purpose: 'To detect misuse of accounts, to slow down guessing, and to limit what one client can send.',
      period: `Audit trail: ${daysText(accounts.auditAddressDays)}. Hashes of known devices: ${daysText(accounts.knownClientDays)} after the last sign-in. Hashes of wrong passwords: one hour after the last one. Hashes of submissions and feedback: until they are decided or closed, at most ${daysText(originDays)}. Images: one day. Public queries: until the next day.`,
      erasure: 'The service itself, after these periods. Deleting the account erases the addresses of its actions.',
    },
    {
      title: 'Submissions',
      data: 'The experiments, and what you enter about yourself: name, email address, role, laboratory, affiliation, country, ORCID iD, and your consent. With an account, also which account sent and changed a record, and messages between you and the moderators, with the newest one that you marked as read.',
      purpose:
        'To review the experiments, to contact you about them, and to name you as contributor if you agree to that. Public records contain nothing about their sender.',
      period: [
        'Published experiments: permanently.',
        rejectedDays === 0
          ? 'Rejected experiments without an account that were never public: permanently.'
          : `Rejected experiments without an account that were never public: ${daysText(rejectedDays)} after the decision.`,
        submitterDays === 0
          ? 'Your details without an account: until an administrator erases them.'
          : `Your details without an account: ${daysText(submitterDays)} after the last decision on the submission. If you agreed to be named and a record is public, name, affiliation, and ORCID iD remain.`,
        'Your details with an account: until you delete the account.',
      ].join(' '),
      erasure:
        'The service itself, after these periods; an administrator, on request; or you, by deleting the account. The history of a record retains the time of each action.',
    },
    {
      title: 'Images',
      data: 'The picture. The service stores it as a new file without the metadata of the original, such as place, camera, and owner.',
      purpose: 'To publish it with its experiment.',
      period: `With a published experiment: permanently. Without an experiment: ${daysText(images.unattachedDays)} after the upload.`,
      erasure: 'You or the service, before it is published. Published images can be in releases, which never change.',
    },
    {
      title: 'Feedback',
      data: 'The name, the texts, and the image that you enter, and whether you were signed in.',
      purpose: 'To answer it and to correct the data.',
      period:
        feedbackDays === 0
          ? 'Until an administrator deletes it.'
          : `${daysText(feedbackDays)} after it was closed or last changed.`,
      erasure:
        'The service itself, after this period, or an administrator, on request. The number of the message and the time of the deletion remain.',
    },
    {
      title: 'Mails',
      data: 'The kind of the mail, its account or email address, the time, and for decisions the record and the reason. The service sends mails about verification, passwords, sign-ins, decisions, and messages, and no newsletters.',
      purpose: 'To send each mail once, and to try again if a mail server is not available.',
      period: `${daysText(accounts.mailDays)}.`,
      erasure: 'The service itself, after this period. Deleting the account deletes the mails to it.',
    },
    {
      title: 'Logs and usage counts',
      data: 'The log of requests contains time, method, URL without tokens and passwords, status, duration, and a random number. It contains no network address, no account, no header, and no content. If a spreadsheet breaks its reader, the log names its account or network address. Usage counts are sums of views and downloads per day, without anything about the visitors.',
      purpose: 'To find faults, and to report how much the dataset is used.',
      period: 'Logs: as long as the operator retains them. Usage counts: permanently.',
      erasure: 'The operator.',
    },
    {
      title: 'Authors of papers',
      data: 'Names and ORCID iDs of the authors of source papers, with title, year, and journal, as publishers and DOI registries publish them.',
      purpose: 'To cite the papers from which the data comes.',
      period: 'Permanently, because releases and citations name them.',
      erasure: 'An administrator corrects or removes entries. Releases that contain them do not change.',
    },
  ];
}
