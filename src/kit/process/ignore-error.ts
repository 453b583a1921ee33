/** Handles an error that nobody needs to hear of. An empty handler would not tell its reader that this is meant, or why. */
export const ignoreError = (_reason: string) => (): void => {}
