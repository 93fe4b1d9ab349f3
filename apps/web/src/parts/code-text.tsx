/** A text with code in backticks. */
export function CodeText({ text }: { text: string }) {
  return <>{text.split('`').map((segment, at) => (at % 2 === 1 ? <code key={at}>{segment}</code> : segment))}</>;
}
