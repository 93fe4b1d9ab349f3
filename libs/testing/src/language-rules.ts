/** A pattern that no text contains, and what to write instead. */
interface LanguageRule {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** A match of a rule. `line` counts from 1. */
interface LanguageFault {
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

/**
 * Rules for every text of the repository: comments, strings, web pages, documents, mails and logs. A rule belongs here if each of its
 * matches is a fault.
 */
const LANGUAGE_RULES: readonly LanguageRule[] = [
  { pattern: /\b[Aa]new\b/g, instead: '"again"' },
  { pattern: /\bfor ever\b/g, instead: '"forever" or "permanently"' },
  { pattern: /\b[Mm]end(?:s|ed|ing)?\b/g, instead: '"fix", "repair" or "correct"' },
  { pattern: /\b(?:go|goes|going|went|gone) on\b/g, instead: '"continue"' },
  { pattern: /\b[Ww](?:hoever|hatsoever|homever)\b/g, instead: '"the caller" or "any user"' },
  { pattern: /\b[Aa]s (?:it is|they are)\b/g, instead: '"unchanged" or "verbatim"' },
  { pattern: /\b[Aa]t once\b/g, instead: '"immediately" or "at the same time"' },
  { pattern: /\bby commas?\b/g, instead: '"comma-separated"' },
  { pattern: /\b[Bb]eside\b/g, instead: '"next to" or "in addition to"' },
  { pattern: /\bof (?:then|theirs|before)\b/g, instead: 'the name of the thing' },
  { pattern: /(?<!\b[Tt]here )\b(?:is|are|was|were) none\b/g, instead: '"there are no …"' },
  { pattern: /(?<!`)\b(?:[Nn]obody|[Ss]omebody)\b(?!['`])/g, instead: '"no one", "a user" or "the caller"' },
  { pattern: /\b[Ww]ish(?:es)?\b/g, instead: '"input" or "request"' },
  { pattern: /\b[Ll]ooks? whether\b/g, instead: '"checks whether"' },
  { pattern: /\b(?:is|are|was|were) (?:asked|told)\b/g, instead: '"is requested" or "is notified"' },
  { pattern: /\b(?:[Mm]ost|[Ll]east) (?:role|room|feedback)\b/g, instead: '"maximum" or "minimum"' },
  { pattern: /\b(?:[Gg]ives?|gave|given) back\b/g, instead: '"releases" or "returns"' },
  { pattern: /\b[Tt]ak(?:es?|en|ing) (?:it )?back\b/g, instead: '"withdraws" or "reverts"' },
  { pattern: /\b[Ww]hat (?:is|was) (?:kept|held|asked|sent)\b/g, instead: 'the name of the thing' },
  { pattern: /\b[Dd]eclin(?:e|es|ed|ing)\b/g, instead: '"reject"' },
  { pattern: /\bformer (?:release|version)\b/g, instead: '"previous release"' },
  { pattern: /\b(?:[Tt]hus|[Hh]ence|amongst|[Ww]hilst)\b/g, instead: '"so", "therefore", "among" or "while"' },
];

/** The opening of a comment that is a headless clause: "What the page shows". */
const COMMENT_OPENING: LanguageRule = {
  pattern: /\/\*\*\s[\s*]*(?:What|Who|Where|Which|That|Those|How) |(?:\/\/ |"""|^[ \t]*# )(?:What|Who) /gm,
  instead: 'a noun phrase ("The …"), a verb ("Returns …"), or no comment',
};

/** Rules for the messages that a caller receives, in addition to those of every text. */
const MESSAGE_RULES: readonly LanguageRule[] = [
  { pattern: /\s\s/g, instead: 'one space' },
  { pattern: /^\s|\s$/g, instead: 'no space around the text' },
  { pattern: /\s[,.;:](?=\s|$)/g, instead: 'no space before a mark' },
  { pattern: /\.\.(?!\.)|[,;:]\.$/g, instead: 'one mark' },
  { pattern: /undefined|\bNaN\b|\[object /g, instead: 'the value, not its form in the program' },
  { pattern: /\b(\w+) \1\b/gi, instead: 'the word once' },
  {
    pattern:
      /\b(?:fibre|colour|behaviour|favour|honour|neighbour|centre|metre|litre|licence|defence|offence|grey|analyse|catalogue|judgement|cancelled|labelled|modelled|travelled|programme)/gi,
    instead: 'the American spelling',
  },
  {
    pattern:
      /\b\w{3,}(?:ise|ised|ises|ising|isation)\b(?<!\b(?:otherwise|raise[ds]?|precise|promise[ds]?|exercise[ds]?|revise[ds]?|revising|wise|rise|noise|advise[ds]?|surprise|likewise|concise|raising|expertise|compromise[ds]?)\b)/gi,
    instead: 'the American spelling',
  },
  {
    pattern:
      /\b(?:byte port|spool|far side|held against|stands? (?:in|for itself)|judge[ds]?|will do|are right|is right|of its own|told|tells?|hears?|road|shelf|leash|kept answer|row id|outbox|relay|gRPC|RPC|SQL|postgres\w*|NATS|durable|\w+-svc|read index|dead letter)\b/gi,
    instead: 'a word that the caller knows',
  },
  // "is no CAS number" → "is not a CAS number"; "there is no record 5" is plain English.
  { pattern: /(?<!\b(?:there|it|which|that)) (?:is|are) no(?:ne)?\b(?! longer| more)/gi, instead: '"is not a"' },
  { pattern: / is not possible\b/g, instead: '"is not allowed" or "cannot"' },
];

/** Line breaks inside a paragraph or a comment, with the marks that begin the next line. */
const WRAP = /\n[ \t]*(?:\*|\/\/|#|>)?[ \t]*(?=[^\s*/#>])/g;

/** The rules with patterns that match a line break inside a phrase. */
const PHRASES = LANGUAGE_RULES.map(({ pattern: { source, flags }, instead }) => {
  return { pattern: new RegExp(source.replaceAll(' ', ' +'), flags), instead };
});

/** Finds the texts of a file that break a rule. A phrase may continue on the next line. */
export function languageFaults(text: string): LanguageFault[] {
  // Each line break becomes spaces of the same length, so that positions stay.
  const joined = text.replace(WRAP, (wrap) => ' '.repeat(wrap.length));
  return [...matches(text, COMMENT_OPENING), ...PHRASES.flatMap((rule) => matches(joined, rule))].map(
    ({ index, ...fault }) => {
      return { ...fault, line: text.slice(0, index).split('\n').length };
    },
  );
}

function matches(text: string, { pattern, instead }: LanguageRule) {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => {
    return { index, found: found.trim().replace(/\s+/g, ' '), instead };
  });
}

/** Values and names inside a message, which have their own spelling: "quoted", `backticked`, camelCase, snake_case, PATHS. */
const QUOTED = /"(?:[^"\\]|\\.)*"|`[^`]*`/g;
const IDENTIFIER = /\/[\w/{}-]+|\b\w+[._][\w.[\]]*\w\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}(?:_[A-Z]+)+\b/g;

/** Lists the faults of a message that a caller receives, in words. Returns an empty list if the message keeps the rules. */
export function messageFaults(message: string): string[] {
  const faults: string[] = [];
  if (!/^[`\p{Lu}]/u.test(message)) faults.push('does not begin with a capital letter or a backticked name');
  if (!message.endsWith('.')) faults.push('does not end with a full stop');
  const plain = message.replace(QUOTED, '`x`').replace(IDENTIFIER, '`x`');
  for (const [, article = '', word = ''] of plain.matchAll(/\b(an?) ([\p{L}\d][\p{L}\d-]*)/giu)) {
    if (startsWithVowelSound(word) !== /n$/i.test(article))
      faults.push(`has the wrong article in "${article} ${word}"`);
  }
  const found = MESSAGE_RULES.flatMap((rule) => matches(plain, rule));
  for (const fault of [...found, ...languageFaults(plain)]) faults.push(`has "${fault.found}"; write ${fault.instead}`);
  return faults;
}

function startsWithVowelSound(word: string): boolean {
  // Read letter by letter: an HTTP, an MX, an S3, an XLSX, a URL, a UUID.
  if (/^[A-Z]{2,}|^[A-Z]\d/.test(word)) return /^[AEFHILMNORSX]/.test(word);
  if (/^(?:hour|honest|honor|heir|8|11\b|18\b)/i.test(word)) return true;
  if (/^(?:uni|use|usu|uti|eu|one|once|uuid|url)/i.test(word)) return false;
  return /^[aeiou]/i.test(word);
}
