interface Props {
  base: string;
  /** What was asked for. */
  text?: string;
}

/** The search box, which works without script: the service understands what was typed. */
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

/** Where a text of the search box leads. */
export function searchAddress(base: string, text: string): string {
  return `${base}/search?${new URLSearchParams({ q: text }).toString()}`;
}

/** Where records are looked at that match a filter: a parameter a key. */
export function exploreAddress(base: string, parameters: Readonly<Record<string, string>>): string {
  return `${base}/explore?${new URLSearchParams(parameters).toString()}`;
}
