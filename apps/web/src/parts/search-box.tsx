interface Props {
  base: string;
  text?: string;
}

/** The search box. It works without script, because the service interprets the text. */
export function SearchBox({ base, text }: Props) {
  return (
    <form class="search" role="search" action={`${base}/search`}>
      <label class="hidden-text" for="search">
        Search experiments
      </label>
      <input
        id="search"
        name="q"
        type="search"
        value={text}
        maxLength={300}
        required
        placeholder="Polymer, solvent, DOI, or record number"
        autocomplete="off"
      />
      <button class="button primary" type="submit">
        Search
      </button>
    </form>
  );
}

export function searchAddress(base: string, text: string): string {
  return `${base}/search?${new URLSearchParams({ q: text }).toString()}`;
}

/** Returns the URL of `/explore` with a filter, one parameter per key. */
export function exploreAddress(base: string, parameters: Readonly<Record<string, string>>): string {
  return `${base}/explore?${new URLSearchParams(parameters).toString()}`;
}
