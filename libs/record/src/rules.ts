/**
 * The version of the rules that derive public data: filter matching, unit conversion, flattening, the read form, and what analyses count.
 * Raise it whenever a rule changes, or a feature is added, because the responses then have new members. The entity tags of dataset responses contain it, so caches then drop older results.
 * A golden test with the demo fails if results change but this number does not.
 */
export const RULES = 5;
