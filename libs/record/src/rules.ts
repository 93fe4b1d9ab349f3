/**
 * The version of the rules that derive public data: filter matching, unit conversion, flattening and the read form.
 * Raise it with every change of a rule: the entity tags of dataset responses contain it, so caches drop older results.
 * A golden test over the demo fails if results change and this number does not.
 *
 * 2: a kind of collector or needle matches all its spellings.
 * 3: filters `fieldStrengthMin` and `fieldStrengthMax`; a conversion without a finite result has no value.
 * 4: a filter text that begins with `=` matches exact values; a DOI that normalizes to an empty text counts as absent.
 * 5: a DOI field with another text, such as a URL, is a value that keeps its capitals.
 */
export const RULES = 5;
