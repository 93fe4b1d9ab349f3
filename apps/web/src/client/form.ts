import { type Signal, useSignal } from '@preact/signals';
import type { TargetedSubmitEvent } from 'preact';
import { problemsOf } from './call.ts';
import { RequestError } from './request.ts';
import { onSubmit } from './events.ts';

export interface FormState {
  problem: Signal<string | undefined>;
  isBusy: Signal<boolean>;
  /** Passes the fields of the form to `act` and shows its error as the problem. */
  onSubmit: (event: TargetedSubmitEvent<HTMLFormElement>) => void;
}

/** Handles a form that script sends. If `act` throws, the form shows the message and keeps its input. */
export function useForm(act: (texts: (name: string) => string) => Promise<void>): FormState {
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const send = async (data: FormData): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = undefined;
    try {
      await act((name) => fieldText(data, name));
    } catch (error) {
      problem.value = problemText(error);
    } finally {
      isBusy.value = false;
    }
  };
  return {
    problem,
    isBusy,
    onSubmit: onSubmit((data) => void send(data)),
  };
}

/** Returns the text of a form field; empty if there is no such field. */
export function fieldText(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}

/** Returns the message of an error. If the service reported errors of single values, returns their messages instead. */
export function problemText(error: unknown): string {
  if (!(error instanceof RequestError)) {
    console.error(error);
    return 'Something went wrong on this page. Your input is preserved; try again.';
  }
  const { message, status, requestId } = error;
  const messages = problemsOf(error).map((problem) => problem.message);
  if (messages.length > 0) return messages.join(' ');
  if (status < 500 || requestId === undefined) return message;
  return `Something went wrong on our side. Your input is preserved; try again, or report reference ${requestId}.`;
}
