/** A reason not to start that an operator can fix, printed without a stack. */
export class StartError extends Error {
  constructor(
    readonly lines: string | readonly string[],
    readonly exitCode = 1,
  ) {
    super([lines].flat().join('\n'))
  }
}
