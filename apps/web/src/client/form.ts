import { type Signal, useSignal } from '@preact/signals';
import type { TargetedSubmitEvent } from 'preact';
import { RequestError } from './request.ts';

export interface FormState {
  /** What went wrong last, in a sentence. */
  problem: Signal<string | undefined>;
  isBusy: Signal<boolean>;
  /** The handler of the form: gives the texts of its fields by name to `act`, and shows what it throws as the problem. */
  onSubmit: (event: TargetedSubmitEvent<HTMLFormElement>) => void;
}

/** A form that is sent by script. `act` may throw RequestError, whose message is shown; nothing typed is lost. */
export function useForm(act: (texts: (name: string) => string) => Promise<void>): FormState {
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const send = async (form: HTMLFormElement): Promise<void> => {
    if (isBusy.value) return;
    const data = new FormData(form);
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
    onSubmit: (event) => {
      event.preventDefault();
      void send(event.currentTarget);
    },
  };
}

/** Returns the text of a field of a form; empty where there is no such field. */
export function fieldText(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}

/** What went wrong, in sentences for people: what is wrong with each value, where the service said so. */
export function problemText(error: unknown): string {
  if (!(error instanceof RequestError)) {
    console.error(error);
    return 'Something broke on this page. What you typed is kept; try again.';
  }
  const { body, message, status, requestId } = error;
  const items: unknown = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined;
  const messages = Array.isArray(items) ? items.map(messageOf).filter((text) => text !== undefined) : [];
  if (messages.length > 0) return messages.join(' ');
  if (status < 500 || requestId === undefined) return message;
  return `Something broke on our side. What you typed is kept. Reference ${requestId}.`;
}

function messageOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('message' in item)) return undefined;
  return typeof item.message === 'string' ? item.message : undefined;
}
