import type { ComponentChildren } from 'preact';
import { type ExploreView, viewParameters } from '@esd/pages/explore-view';
import { type Navigation, type Step, useExplore } from './state.ts';

interface LinkProps extends Navigation {
  to: Step;
  children: ComponentChildren;
  class?: string;
  label?: string;
  /** `page`: where one is; `true`: chosen. */
  current?: 'page' | 'true' | undefined;
  /** Called after going there. */
  onGone?: () => void;
}

/** A link to a view: the address without script, a step within the page with it. */
export function ViewLink({ to, children, label, current, sameStep, onGone, ...others }: LinkProps) {
  const { view, href, go } = useExplore();
  return (
    <a
      {...others}
      href={href(to(view))}
      // There are more views than anybody wants to look for.
      rel="nofollow"
      aria-label={label}
      aria-current={current}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        go(to, sameStep === undefined ? {} : { sameStep });
        onGone?.();
      }}
    >
      {children}
    </a>
  );
}

/** The parameters of a view as fields of a form that sets some of them itself. With script no form is sent. */
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
  /** What stands before it. */
  text: string;
  label: string;
  name: string;
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  /** A view with another value. */
  to: (view: ExploreView, value: Value) => ExploreView;
  /** Parameters of the address that the choice changes too. */
  except?: readonly string[];
}

/** A choice among values that are in the address: a form without script. */
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
