/**
 * Checks texts that a caller sees. They are plain American English, begin with a capital letter or a backticked name, end with a period,
 * and contain no internal terms of the project.
 */

/** Values and names in a text, whose spelling is not checked: "quoted", `backticked`, camelCase, snake_case, paths. */
const QUOTED = /"(?:[^"\\]|\\.)*"|`[^`]*`/g;
const IDENTIFIER = /\/[\w/{}-]+|\b\w+[._][\w.[\]]*\w\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}(?:_[A-Z]+)+\b/g;

const startsWithVowelSound = (word: string): boolean => {
  // Abbreviations are read letter by letter: an HTTP, an MX, an S3, an XLSX, a URL, a UUID.
  if (/^[A-Z]{2,}|^[A-Z]\d/.test(word)) return /^[AEFHILMNORSX]/.test(word);
  if (/^(?:hour|honest|honor|heir|8|11\b|18\b)/i.test(word)) return true;
  if (/^(?:uni|use|usu|uti|eu|one|once|uuid|url)/i.test(word)) return false;
  return /^[aeiou]/i.test(word);
};

/** Patterns that no text may contain, each with its fault. */
const FORBIDDEN: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [/\s\s/, 'has two spaces in a row'],
  [/^\s|\s$/, 'has leading or trailing space'],
  [/\s[,.;:](?=\s|$)/, 'has a space before a punctuation mark'],
  [/\.\.(?!\.)|[,;:]\.$/, 'has two punctuation marks in a row'],
  [/undefined|\bNaN\b|\[object /, 'shows an internal value'],
  [/\b(\w+) \1\b/i, 'repeats a word'],
  [
    /\b(?:fibre|colour|behaviour|favour|honour|neighbour|centre|metre|litre|licence|defence|offence|grey|analyse|catalogue|judgement|cancelled|labelled|modelled|travelled|programme|whilst|amongst)/i,
    'has a British spelling',
  ],
  [
    /\b\w{3,}(?:ise|ised|ises|ising|isation)\b(?<!\b(?:otherwise|raise[ds]?|precise|promise[ds]?|exercise[ds]?|revise[ds]?|revising|wise|rise|noise|advise[ds]?|surprise|likewise|concise|raising|expertise|compromise[ds]?)\b)/i,
    'has a British spelling',
  ],
  [
    /\b(?:byte port|spool|far side|held against|stands? (?:in|for itself)|judge[ds]?|whoever|whatsoever|will do|are right|is right|of its own|told|tells?|hears?|road|shelf|leash|kept answer|row id|outbox|relay|gRPC|RPC|SQL|postgres\w*|NATS|durable|dataset-svc|\w+-svc|read index|dead letter)\b/i,
    'has an internal or unusual term',
  ],
  // "is no CAS number" → "is not a CAS number"; "there is no record 5" is plain English.
  [/(?<!\b(?:there|it|which|that)) (?:is|are) no(?:ne)?\b(?! longer| more)/i, 'says "is no" for "is not a"'],
  [/ is not possible\b/, 'says "is not possible" for "is not allowed" or "cannot"'],
];

/** Returns the faults of a text that a caller sees; empty if it follows the rules. */
export function messageFaults(message: string): string[] {
  const faults: string[] = [];
  if (!/^[`\p{Lu}]/u.test(message)) faults.push('does not begin with a capital letter or a backticked name');
  if (!message.endsWith('.')) faults.push('does not end with a period');
  const plain = message.replace(QUOTED, '`x`').replace(IDENTIFIER, '`x`');
  for (const [, article = '', word = ''] of plain.matchAll(/\b(an?) ([\p{L}\d][\p{L}\d-]*)/giu)) {
    if (startsWithVowelSound(word) !== /n$/i.test(article))
      faults.push(`has the wrong article in "${article} ${word}"`);
  }
  for (const [pattern, fault] of FORBIDDEN) {
    const found = pattern.exec(plain)?.[0];
    if (found !== undefined) faults.push(`${fault}: "${found}"`);
  }
  return faults;
}
