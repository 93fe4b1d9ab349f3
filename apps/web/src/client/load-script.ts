import { RequestError } from './request.ts';

/** Awaits the import of a script. Throws RequestError if it fails. */
export async function loaded<Module>(script: Promise<Module>): Promise<Module> {
  try {
    return await script;
  } catch {
    const advice = 'Check your connection and try again. If it fails again, reload the page.';
    throw new RequestError(0, { message: `This view could not be loaded. ${advice}` });
  }
}
