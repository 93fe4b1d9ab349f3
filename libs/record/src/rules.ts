/**
 * The number of the rules by which the dataset is read: what a filter finds, how a value is converted, how a record is
 * flattened and written. Raised with every change of them, so that no cache gives out what older rules made: every entity tag
 * of an answer that depends on a state of the dataset carries it. A golden test over the demo fails when answers change and
 * this number does not.
 *
 * 2: a kind of collector or needle is found in all its spellings.
 * 3: filters by `fieldStrengthMin` and `fieldStrengthMax`; a conversion without a finite result is no value.
 * 4: a text of a filter that begins with `=` asks for a value exactly; a DOI of which nothing is left is none.
 * 5: a text in the place of a DOI that is none, such as an address, is a value as it was published, in its own capitals.
 */
export const RULES = 5;
