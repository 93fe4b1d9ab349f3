import { readFileSync } from 'node:fs';
import { kindOfRun, STACK_KINDS, type StackKind } from './stack-kinds.ts';

/** The kinds of shared stacks that a test file uses, found in its source. */
export function kindsOfFile(path: string): StackKind[] {
  const source = readFileSync(path, 'utf8');
  const kinds = Object.keys(STACK_KINDS).filter((kind): kind is StackKind =>
    source.includes(kind === 'demo' ? 'sharedStack()' : `leaseStack('${kind}')`),
  );
  return [...new Set(kinds.map(kindOfRun))];
}

/**
 * The position of a test file in a run. Files that use the same kinds of stacks follow each other, so that a stack ends early: first
 * the demo's, then in the order of STACK_KINDS. Files that use no shared stack come last.
 */
export function positionOf(kinds: readonly StackKind[]): number {
  const order = Object.keys(STACK_KINDS);
  if (kinds.length === 0) return 2 * order.length;
  return Math.max(...kinds.map((kind) => order.indexOf(kind))) + (kinds.includes('demo') ? 0 : order.length);
}

/** The test files of this run that still need each kind of stack. Undefined outside of the process of jest. */
let remaining: Map<StackKind, Set<string>> | undefined;

const listeners = new Set<() => void>();

/** Sets which files of this run use which kinds. */
export function planRun(files: readonly { path: string; kinds: readonly StackKind[] }[]): void {
  remaining = new Map();
  for (const { path, kinds } of files) {
    for (const kind of kinds) remaining.set(kind, (remaining.get(kind) ?? new Set()).add(path));
  }
}

/** Records that a test file has ended. */
export function fileEnded(path: string): void {
  for (const files of remaining?.values() ?? []) files.delete(path);
  for (const listener of listeners) listener();
}

/** The number of files that still need a kind; unlimited where there is no plan. */
export function filesLeft(kind: StackKind): number {
  return remaining === undefined ? Infinity : (remaining.get(kind)?.size ?? 0);
}

/** Calls `listener` after each file that ends, until the returned function is called. */
export function onFileEnded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
