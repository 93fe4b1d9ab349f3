/** Returns a minimal environment, so that settings of other servers and files in the user's home folder have no effect. */
export function serverEnvironment(dataDir: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: dataDir, LC_ALL: 'C' };
}
