import type { PartStatus, StatusPart } from '@esd/pages/page';
import type { ServiceName } from '@esd/service/names/services';
import type { ReadinessState } from '@esd/service/health/readiness';

interface Rule {
  /** The service without which the part is `down`, or works only `partly`. */
  needs: ServiceName;
  status: Exclude<PartStatus, 'up'>;
  effect: string;
  /** The remedy while another service is up. */
  instead?: { with: ServiceName; text: string };
}

const RULES: Readonly<Record<StatusPart['name'], readonly Rule[]>> = {
  read: [
    {
      needs: 'dataset-svc',
      status: 'down',
      effect: 'Records, releases, and search are unavailable.',
      instead: { with: 'submission-svc', text: 'Submissions through the API still work.' },
    },
  ],
  download: [
    { needs: 'dataset-svc', status: 'down', effect: 'Files and exports are unavailable.' },
    {
      needs: 'export-svc',
      status: 'down',
      effect: 'Files and exports are unavailable.',
      instead: { with: 'dataset-svc', text: 'You can still read records on the pages and through the API.' },
    },
  ],
  contribute: [
    {
      needs: 'submission-svc',
      status: 'down',
      effect: 'New experiments, corrections, and messages cannot be sent. The form keeps your draft in this browser.',
    },
    {
      needs: 'dataset-svc',
      status: 'partly',
      effect: 'The form cannot load its lists of names.',
      instead: { with: 'submission-svc', text: 'Submissions through the API still work.' },
    },
    {
      needs: 'identity-svc',
      status: 'partly',
      effect: 'You cannot submit with an account or a token.',
      instead: { with: 'submission-svc', text: 'You can still submit without an account.' },
    },
    {
      needs: 'export-svc',
      status: 'partly',
      effect: 'Uploaded sheets cannot be read.',
      instead: { with: 'dataset-svc', text: 'You can still fill in the form.' },
    },
  ],
  account: [
    {
      needs: 'identity-svc',
      status: 'down',
      effect: 'Signing in, tokens, and profiles are unavailable.',
      instead: { with: 'dataset-svc', text: 'Reading needs no account.' },
    },
    {
      needs: 'submission-svc',
      status: 'partly',
      effect: 'Your submissions and messages are unavailable.',
      instead: { with: 'identity-svc', text: 'You can still sign in.' },
    },
    {
      needs: 'dataset-svc',
      status: 'partly',
      effect: 'Your personal snapshots are unavailable.',
      instead: { with: 'identity-svc', text: 'You can still sign in.' },
    },
  ],
  images: [
    {
      needs: 'media-svc',
      status: 'down',
      effect: 'Images cannot be shown or uploaded.',
      instead: { with: 'dataset-svc', text: 'The values of all records are still available.' },
    },
  ],
};

const ADVICE = 'Try again in a few minutes.';

/** Returns the state of each use of the service, from the states of the services behind the gateway. */
export function statusParts(dependencies: ReadinessState['dependencies']): StatusPart[] {
  const isUp = (service: ServiceName): boolean => dependencies[service] === 'up';
  return PARTS.map((name): StatusPart => {
    const broken = RULES[name].filter(({ needs }) => !isUp(needs));
    const down = broken.filter(({ status }) => status === 'down');
    // While a part is down, it does not matter what else would work only partly.
    const rules = down.length > 0 ? down : broken;
    const [first] = rules;
    if (!first) return { name, status: 'up' };
    const instead = rules.flatMap((rule) => (rule.instead && isUp(rule.instead.with) ? [rule.instead.text] : []));
    const message = [...new Set([...rules.map(({ effect }) => effect), ...instead, ADVICE])].join(' ');
    return { name, status: first.status, message };
  });
}

export const PARTS = ['read', 'download', 'contribute', 'account', 'images'] as const;

/** Returns the state of the whole service. Without reads, nearly nothing works, and the service counts as down. */
export function wholeStatus(parts: readonly StatusPart[]): PartStatus {
  if (parts.some(({ name, status }) => name === 'read' && status === 'down')) return 'down';
  return parts.every(({ status }) => status === 'up') ? 'up' : 'partly';
}
