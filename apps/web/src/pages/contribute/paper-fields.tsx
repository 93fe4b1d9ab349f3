import { useSignal } from '@preact/signals';
import { moveFocus } from '../../client/move-focus.ts';
import { assign, type Contribution } from '../../contribute/contribution.ts';
import { Button, LinkButton } from '../../parts/buttons.tsx';
import { PlainField } from './plain-field.tsx';

const EDIT = 'edit-paper';

export function PaperFields({ contribution }: { contribution: Contribution }) {
  const { paper } = contribution;
  const isEdited = useSignal(false);
  const { doi, publicationTitle } = paper.value;
  const doiError = contribution.aroundError('researchMetadata.doi');
  const titleError = contribution.aroundError('researchMetadata.publicationTitle');
  if (!isEdited.value && doiError === undefined && titleError === undefined) {
    return (
      <span class="small muted">
        {doi === '' && publicationTitle === '' ? (
          'Paper of these experiments (optional): '
        ) : (
          <>
            Paper: <b class="hash">{doi === '' ? publicationTitle : doi}</b>{' '}
          </>
        )}
        <LinkButton id={EDIT} onClick={() => (isEdited.value = true)}>
          {doi === '' && publicationTitle === '' ? 'Add a DOI or title' : 'Change'}
        </LinkButton>
      </span>
    );
  }
  const type = (member: 'doi' | 'publicationTitle') => (text: string) =>
    contribution.change(() => assign(paper, { [member]: text }));
  return (
    <div class="fields paper">
      <PlainField
        id="researchMetadata.doi"
        label="DOI of the paper"
        hint="For example 10.1016/j.memsci.2022.120850. A DOI in a row of a sheet takes precedence."
        value={doi}
        error={doiError}
        isFirst
        onType={type('doi')}
      />
      <PlainField
        id="researchMetadata.publicationTitle"
        label="Title of the paper"
        hint="If the paper is not published yet, its working title"
        value={publicationTitle}
        error={titleError}
        onType={type('publicationTitle')}
      />
      <p>
        <Button
          onClick={() => {
            isEdited.value = false;
            moveFocus(EDIT);
          }}
        >
          Done
        </Button>
      </p>
    </div>
  );
}
