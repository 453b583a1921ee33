/** Ignores an error on purpose. Unlike an empty handler, it states the reason. */
export const ignoreError = (_reason: string) => (): void => {}
