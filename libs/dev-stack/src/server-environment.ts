/**
 * The environment of an embedded server: next to nothing, so that settings for other servers of this machine, or configuration
 * files in the person's home folder, do not reach it.
 */
export function serverEnvironment(dataDir: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: dataDir, LC_ALL: 'C' };
}
