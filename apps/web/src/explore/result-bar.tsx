import { useState } from 'preact/hooks';
import { defaultView } from '@esd/pages/explore-view';
import { RequestError } from '../client/request.ts';
import { countText, experimentsText } from '../format.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { Popover } from '../parts/popover.tsx';
import { LinkButton } from '../parts/buttons.tsx';
import { type Chip, chipsOf } from './chips.ts';
import { ViewLink } from './links.tsx';
import { PlainCitation } from './plain-citation.tsx';
import { type Explore, ExploreContext, useExplore } from './state.ts';
import { loadRareViews, rareViews } from './tab-views.ts';

/** The bar that stays at the top: the count, the chips of the requested view, and the popovers of the displayed one. */
export function ResultBar({ results }: { results: Explore }) {
  const { total, summary } = results.data;
  const count = countText(total, 'experiment');
  return (
    <div class="result-bar">
      <div>
        <h1 aria-live="polite" id="count" tabIndex={-1}>
          {experimentsText(total, summary?.total)}
        </h1>
        <Chips />
        <div class="result-actions" role="group" aria-label={`Download or cite these ${count}`}>
          <ExploreContext value={results}>
            <TakeView name="download" text="Download" title={`Download ${count}`} />
            <TakeView name="cite" text="Cite" title={`Cite ${count}`} class="primary" />
          </ExploreContext>
        </div>
      </div>
    </div>
  );
}

interface TakeProps {
  name: 'download' | 'cite';
  text: string;
  title: string;
  class?: string;
}

/** Of the script of a popover; undefined until a user opens it. */
type Stage = 'loading' | 'loaded' | { readonly problem: string };

/** A popover whose content is loaded when it opens for the first time. */
function TakeView({ name, ...shown }: TakeProps) {
  const { isLive } = useExplore();
  const [isOpen, setOpen] = useState(false);
  const [stage, setStage] = useState<Stage | undefined>(undefined);
  const load = async (): Promise<void> => {
    if (rareViews() === undefined) setStage('loading');
    try {
      await loadRareViews();
      setStage('loaded');
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      setStage({ problem: error.message });
    }
  };
  const View = rareViews()?.[name];
  return (
    <Popover
      id={`${name}-results`}
      {...shown}
      onToggle={(isNowOpen) => {
        setOpen(isNowOpen);
        if (isNowOpen) void load();
      }}
    >
      {View !== undefined && (stage === 'loaded' || !isLive) && (
        // oxlint-disable-next-line react/static-components -- loaded once, then the same component at each render
        <View isOpen={isOpen} />
      )}
      {stage === 'loading' && <p class="small muted">Loading…</p>}
      {typeof stage === 'object' && (
        <>
          <p class="error" role="alert">
            {stage.problem} <LinkButton onClick={() => void load()}>Try again</LinkButton>
          </p>
          {name === 'cite' && <PlainCitation />}
        </>
      )}
    </Popover>
  );
}

function Chips() {
  const { view, units } = useExplore();
  const chips = chipsOf(view, units, useKnownNames());
  if (chips.length === 0) return null;
  return (
    <div class="result-chips" role="group" aria-label="Active filters">
      {chips.map((chip) => (
        <ChipOf key={chip.key} chip={chip} />
      ))}
      {chips.length > 1 && (
        <Popover id="all-filters" text={`All ${chips.length} filters`} title="Active filters">
          <ul class="row">
            {chips.map((chip) => (
              <li key={chip.key}>
                <ChipOf chip={chip} />
              </li>
            ))}
          </ul>
          <ViewLink to={(now) => ({ ...now, filter: defaultView.filter, page: 1 })} class="small">
            Clear all
          </ViewLink>
        </Popover>
      )}
    </div>
  );
}

function ChipOf({ chip: { name, value, without } }: { chip: Chip }) {
  return (
    <span class="chip" title={`${name} ${value}`}>
      <span>
        <i>{name}</i> {value}
      </span>
      <ViewLink to={without} label={`Remove filter: ${name} ${value}`}>
        ×
      </ViewLink>
    </span>
  );
}
