import { assign, type Contribution } from '../../contribute/contribution.ts';
import { account } from '../../client/session.ts';
import { FieldError, PlainField, Required } from './plain-field.tsx';

export function SenderFields({ contribution }: { contribution: Contribution }) {
  const { sender } = contribution;
  if (account.value) return null;
  const { name, email, consents } = sender.value;
  const consentId = 'userMetadata.consentTerms';
  const consentError = contribution.aroundError(consentId);
  return (
    <fieldset class="group">
      <legend>You</legend>
      <div class="fields">
        <PlainField
          id="userMetadata.name"
          label="Your name"
          isRequired
          autocomplete="name"
          value={name}
          error={contribution.aroundError('userMetadata.name')}
          onType={(text) => contribution.change(() => assign(sender, { name: text }))}
        />
        <PlainField
          id="userMetadata.email"
          label="Your email address"
          isRequired
          hint="For questions from a moderator; it is not published"
          type="email"
          autocomplete="email"
          value={email}
          error={contribution.aroundError('userMetadata.email')}
          onType={(text) => contribution.change(() => assign(sender, { email: text }))}
        />
        <div class={consentError === undefined ? 'field' : 'field wrong'}>
          <label class="check consent">
            <input
              type="checkbox"
              id={consentId}
              checked={consents}
              aria-required
              aria-invalid={consentError === undefined ? undefined : true}
              aria-describedby={consentError === undefined ? undefined : `${consentId}-error`}
              onChange={({ currentTarget }) =>
                contribution.change(() => assign(sender, { consents: currentTarget.checked }))
              }
            />
            <span>
              I have the right to share these data and agree to publish them under CC BY 4.0. <Required />
            </span>
          </label>
          {consentError !== undefined && <FieldError id={consentId} text={consentError} />}
        </div>
      </div>
    </fieldset>
  );
}
