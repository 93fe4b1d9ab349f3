import type { Frame, SearchPage } from '@esd/pages/page';
import { searchParameters } from '@esd/record/search/parse-search';
import { Document } from '../document.tsx';
import { countText } from '../format.ts';
import { exploreAddress, searchAddress, SearchBox } from '../parts/search-box.tsx';

/** `/search`: the interpretation of a search that is ambiguous or partly unknown. */
export function Search({ page, frame }: { page: SearchPage; frame: Frame }) {
  const { base } = frame;
  const { text, conditions, choices, ignored, total } = page;
  const parameters = searchParameters(conditions);
  return (
    <Document frame={frame} title={`Search: ${text}`} isHidden section="explore">
      <div class="wrap searched">
        <h1>How your search was interpreted</h1>
        <SearchBox base={base} text={text} />
        <section aria-labelledby="understood">
          <h2 id="understood">Interpreted as</h2>
          {conditions.length === 0 ? (
            <p>No match for “{text}”. Try a polymer, a solvent, a DOI, or a record number.</p>
          ) : (
            <ul class="row">
              {conditions.map(({ name, value }) => (
                <li key={`${name} ${value}`} class="chip">
                  <span>
                    <i>{name}</i> {value}
                  </span>
                </li>
              ))}
            </ul>
          )}
          <p>
            <a
              class="button primary"
              href={conditions.length === 0 ? `${base}/explore` : exploreAddress(base, parameters)}
            >
              Show {conditions.length === 0 ? 'all ' : ''}
              {countText(total, 'experiment')}
            </a>
          </p>
        </section>
        {choices.length > 0 && (
          <section aria-labelledby="choices">
            <h2 id="choices">Which one do you mean?</h2>
            <ul class="choices">
              {choices.map((choice) => (
                <li key={choice.text}>
                  “{choice.text}”:{' '}
                  {choice.options.map(({ name, value, address }, at) => (
                    <>
                      {at > 0 && ' · '}
                      <a href={`${base}${address}`} rel="nofollow">
                        {name} {value}
                      </a>
                    </>
                  ))}
                </li>
              ))}
            </ul>
          </section>
        )}
        {ignored.length > 0 && (
          <section aria-labelledby="left-out">
            <h2 id="left-out">Ignored</h2>
            <ul class="left-out">
              {ignored.map(({ text: part, why, near }) => (
                <li key={part}>
                  {why.includes(`“${part}”`) ? '' : `“${part}”: `}
                  {why}
                  {near.length > 0 && (
                    <>
                      {' '}
                      Did you mean{' '}
                      {near.map((name, at) => (
                        <>
                          {at === 0 ? '' : at === near.length - 1 ? ' or ' : ', '}
                          <a
                            href={searchAddress(
                              base,
                              text.replace(part, () => name),
                            )}
                            rel="nofollow"
                          >
                            {name}
                          </a>
                        </>
                      ))}
                      ?
                    </>
                  )}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Document>
  );
}
