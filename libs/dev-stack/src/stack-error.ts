/** Something the person at the terminal can put right; its message is one clear line that says how. */
export class StackError extends Error {}
