/**
 * The version of the rules that derive public data: filter matching, unit conversion, flattening and the read form.
 * Raise it whenever a rule changes. The entity tags of dataset responses contain it, so caches then drop older results.
 * A golden test with the demo fails if results change but this number does not.
 *
 * The versions since 1:
 * 2: A kind of collector or needle matches all its spellings.
 * 3: There are filters `fieldStrengthMin` and `fieldStrengthMax`. A conversion without a finite result has no value.
 * 4: A filter text that begins with `=` matches exact values. A DOI that normalizes to an empty text counts as absent.
 * 5: A DOI field that contains another text, such as a URL, has that text as its value and preserves its case.
 * 6: There are features of the solvents, the keys `year` and `journal`, and groups of records that repeat each other.
 */
export const RULES = 6;
