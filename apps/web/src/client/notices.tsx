import { distinctNotices } from './shown-notices.ts';

export function Notices() {
  return (
    <>
      {distinctNotices.value.map(({ text, counting, action }) => (
        <p key={text}>
          <span role="status" class={counting ? 'hidden-text' : undefined}>
            {text}
          </span>
          {counting && <span aria-hidden="true">{counting}</span>}
          {action && (
            <button type="button" class="link" onClick={action.act}>
              {action.label}
            </button>
          )}
        </p>
      ))}
    </>
  );
}
