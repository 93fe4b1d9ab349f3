/** An error that the user at the terminal can fix; the message says how. */
export class Stop extends Error {}

/** Runs `main` and sets the exit code. A Stop prints its message and sets the exit code 1. */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
