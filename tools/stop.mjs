/** Something that the person at the terminal can put right; its message is one clear line that says how. */
export class Stop extends Error {}

/** Runs `main` to the end of the process; a Stop becomes one line on the terminal and the exit code 1. */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
