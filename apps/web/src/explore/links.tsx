import type { ComponentChildren } from 'preact';
import { type ExploreView, viewParameters } from '@esd/pages/explore-view';
import { moveFocus } from '../client/move-focus.ts';
import { type Navigation, type Step, useExplore } from './state.ts';

interface LinkProps extends Navigation {
  to: Step;
  children: ComponentChildren;
  class?: string;
  label?: string;
  /** `page` marks the current tab, `true` a selected value. */
  current?: 'page' | 'true' | undefined;
  /** The id of the heading of the list that the link changes. */
  heading?: string;
}

/** A link to a view. With script, it navigates within the page. */
export function ViewLink({ to, children, label, current, sameStep, heading, ...others }: LinkProps) {
  const { view, href, go } = useExplore();
  return (
    <a
      {...others}
      href={href(to(view))}
      // Crawlers must not follow the practically unlimited number of views.
      rel="nofollow"
      aria-label={label}
      aria-current={current}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        go(to, sameStep === undefined ? {} : { sameStep });
        if (heading !== undefined) moveFocus(heading);
      }}
    >
      {children}
    </a>
  );
}

/** The parameters of a view as hidden fields, except those that the form sets itself. Renders nothing if script handles the form. */
export function HiddenFields({ view, except }: { view: ExploreView; except: readonly string[] }) {
  if (useExplore().isLive) return null;
  return (
    <>
      {viewParameters(view)
        .filter(([name]) => !except.includes(name) && name !== 'page')
        .map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
    </>
  );
}

interface ChoiceProps<Value extends string> {
  text: string;
  label: string;
  name: string;
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  to: (view: ExploreView, value: Value) => ExploreView;
  /** Other URL parameters that the choice replaces. */
  except?: readonly string[];
}

/** A menu for one URL parameter. Without script, it is a form with a button. */
export function Choice<Value extends string>({
  text,
  label,
  name,
  value,
  options,
  to,
  except = [],
}: ChoiceProps<Value>) {
  const { base, view, go } = useExplore();
  return (
    <form class="choice" action={`${base}/explore`} method="get">
      <HiddenFields view={view} except={[name, ...except]} />
      <label>
        {text}{' '}
        <select
          name={name}
          aria-label={label}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([one]) => one === currentTarget.value);
            if (chosen) go((now) => to(now, chosen[0]));
          }}
        >
          {options.map(([one, words]) => (
            <option key={one} value={one} selected={one === value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <button class="button without-script" type="submit">
        Show
      </button>
    </form>
  );
}

interface SwitchProps<Value> {
  label?: string;
  labelledBy?: string;
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  to: (view: ExploreView, value: Value) => ExploreView;
}

/** A row of links, of which one is selected. */
export function Switch<Value>({ label, labelledBy, value, options, to }: SwitchProps<Value>) {
  return (
    <span class="switch" role="group" aria-label={label} aria-labelledby={labelledBy}>
      {options.map(([option, text]) => (
        <ViewLink key={text} to={(now) => to(now, option)} current={option === value ? 'true' : undefined}>
          {text}
        </ViewLink>
      ))}
    </span>
  );
}
