/** A named place in the program, and on which visit to it the process dies. */
export type CrashPoint = { name: string; visit: number }

export type PassPoint = (name: string) => void

/**
 * Ends this very process when it comes to the point, as a power cut would: no handler runs, nothing is flushed.
 * Fault tests ask for it; a program that is not asked never wraps anything with it.
 */
export function crashAt({ name, visit }: CrashPoint): PassPoint {
  let visits = 0
  return (passed) => {
    if (passed === name && ++visits === visit) process.kill(process.pid, 'SIGKILL')
  }
}
