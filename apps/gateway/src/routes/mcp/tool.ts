import { nearest } from '@esd/record/validate/nearest-names';
import { describe } from '@esd/record/validate/problems';
import { UNSTORABLE, unstorablePaths } from '@esd/record/validate/storable-text';
import { ServiceError } from '@esd/service/errors';
import type { z } from 'zod';
import type { Call } from '../../http/call.ts';
import type { Exchange } from '../../http/exchange.ts';
import { requirement } from '../../http/requirement.ts';

/** The request that calls a tool. */
export interface ToolContext {
  exchange: Exchange;
  call: Call;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  /** Checks the arguments. Returns the structured content, and a sentence about what the next call returns. Throws ServiceError. */
  run(sent: unknown, context: ToolContext): Promise<{ result: object; note: string | undefined }>;
}

interface Definition<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject<Input>;
  output: z.ZodObject<Output>;
  run(input: z.output<z.ZodObject<Input>>, context: ToolContext): Promise<z.output<z.ZodObject<Output>>>;
  note?(result: z.output<z.ZodObject<Output>>): string | undefined;
}

export function tool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>({
  run,
  note,
  ...definition
}: Definition<Input, Output>): Tool {
  return {
    ...definition,
    run: async (sent, context) => {
      const result = await run(readArguments(sent, definition.input), context);
      return { result, note: note?.(result) };
    },
  };
}

/** Throws INVALID_PARAMETER for the first unknown or invalid argument. */
function readArguments<Input extends z.ZodRawShape>(
  sent: unknown = {},
  input: z.ZodObject<Input>,
): z.output<z.ZodObject<Input>> {
  const [unstorable] = unstorablePaths(sent);
  if (unstorable) throw invalid(`\`${unstorable.map(String).join('.')}\` ${UNSTORABLE}.`);
  const result = input.safeParse(sent, { error: requirement });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw invalid(unknownArgument(issue.keys[0] ?? '', Object.keys(input.shape)));
  const [name, ...inside] = issue?.path ?? [];
  const subject = name === undefined ? 'The arguments' : `\`${[name, ...inside].map(String).join('.')}\``;
  const value = valueAt(sent, issue?.path ?? []);
  const got = value === undefined ? '' : `, got ${describe(JSON.stringify(value))}`;
  throw invalid(`${subject} ${issue?.message ?? 'is not valid'}${got}.`);
}

function unknownArgument(name: string, known: readonly string[]): string {
  if (known.length === 0) return `Unknown argument ${describe(name)}; this tool takes no arguments.`;
  const near = nearest(
    name.toLowerCase(),
    known.map((one) => [one.toLowerCase(), one] as const),
  );
  const hint =
    near.length > 0 ? `nearest: ${near.map(describe).join(', ')}` : `known: ${known.map(describe).join(', ')}`;
  return `Unknown argument ${describe(name)}; ${hint}.`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inside, key) => (isRecord(inside) && Object.hasOwn(inside, key) ? inside[key] : undefined),
    value,
  );
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_PARAMETER', message);
}
