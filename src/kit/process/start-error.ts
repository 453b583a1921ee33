/** A reason not to start that its reader can act on: shown as one line each, without a stack. */
export class StartError extends Error {
  constructor(readonly lines: string | readonly string[]) {
    super([lines].flat().join('\n'))
  }
}
