import { assign, type Contribution } from '../../contribute/contribution.ts';
import { account } from '../../client/session.ts';
import { FieldError, PlainField } from './plain-field.tsx';

export function SenderFields({ contribution }: { contribution: Contribution }) {
  const { sender, around, showsAll } = contribution;
  if (account.value) return null;
  const { name, email, consents } = sender.value;
  const errorAt = (member: string): string | undefined =>
    showsAll.value ? around.value.find(({ path }) => path === `userMetadata.${member}`)?.text : undefined;
  const consentError = errorAt('consentTerms');
  const consentId = 'userMetadata.consentTerms';
  return (
    <fieldset class="group">
      <legend>You</legend>
      <div class="fields">
        <PlainField
          id="userMetadata.name"
          label="Your name"
          autocomplete="name"
          value={name}
          error={errorAt('name')}
          onType={(text) => contribution.change(() => assign(sender, { name: text }))}
        />
        <PlainField
          id="userMetadata.email"
          label="Your email address"
          hint="For questions from a moderator; it is not published"
          type="email"
          autocomplete="email"
          value={email}
          error={errorAt('email')}
          onType={(text) => contribution.change(() => assign(sender, { email: text }))}
        />
        <div class={consentError === undefined ? 'field' : 'field wrong'}>
          <label class="check consent">
            <input
              type="checkbox"
              id={consentId}
              checked={consents}
              aria-invalid={consentError === undefined ? undefined : true}
              aria-describedby={consentError === undefined ? undefined : `${consentId}-error`}
              onChange={({ currentTarget }) =>
                contribution.change(() => assign(sender, { consents: currentTarget.checked }))
              }
            />
            I have the right to share these data, and I agree to publish them under CC BY 4.0
          </label>
          {consentError !== undefined && <FieldError id={consentId} text={consentError} />}
        </div>
      </div>
    </fieldset>
  );
}
